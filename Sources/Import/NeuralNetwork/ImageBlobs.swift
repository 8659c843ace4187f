import MIL

/// How a layer takes its inputs: with the axes of the blob, or as images (N, C, H, W) with merged leading axes.
extension NetworkGraph {
  /// An input as (N, C, H, W), and the leading axes that are merged into N. The leading axes are nil for a blob of rank
  /// 4 or less.
  func image(_ index: Int) throws -> (name: String, lead: Blob.Lead?) {
    let name = try blobName(index)
    let blob = try blob(index)
    if let merged = blob.merged { return (merged.name, merged.lead) }
    let value = try full(blob, named: name)
    let rank = try builder.tensorType(of: value).rank
    if rank == 4 { return (value, nil) }
    guard rank > 4 else {
      throw error(.invalidModel, "'\(name)' has rank \(rank), the layer takes (..., C, H, W) of rank 4 or more")
    }
    let lead = Blob.Lead(sizes: try sizes(of: value, 0..<(rank - 3)), rank: rank - 3)
    let target = try concat([try constant([-1]), try sizes(of: value, (rank - 3)..<rank)])
    let merged = try emit("reshape", ["x": .name(value), "shape": .name(target)])
    setMerged(name, merged, lead)
    return (merged, lead)
  }

  /// Reverses `image`: splits N of (N, C, H, W) into the leading axes.
  func split(_ image: String, _ lead: Blob.Lead) throws -> String {
    let target = try concat([lead.sizes, try sizes(of: image, 1..<4)])
    return try emit("reshape", ["x": .name(image), "shape": .name(target)])
  }

  /// Like `image` for an input of rank 4 or more; an input of rank 3 is returned unchanged.
  func imageOrLower(_ index: Int) throws -> (name: String, lead: Blob.Lead?) {
    if blobIsImage(index) { return try image(index) }
    let value = try input(index)
    guard try rank(value) == 3 else {
      throw error(.invalidModel, "'\(try blobName(index))' has rank \(try rank(value)), the layer takes rank 3 or more")
    }
    return (value, nil)
  }

  /// Whether the layer interprets its input as (..., C, H, W): rank 4 or more.
  func blobIsImage(_ index: Int) -> Bool {
    guard let blob = try? blob(index) else { return false }
    if blob.merged != nil { return true }
    return blob.full.flatMap { try? rank($0) } ?? 0 >= 4
  }

  /// All inputs in the same form: merged if all are merged over the same leading axes, otherwise with their own axes.
  func aligned() throws -> (values: [String], lead: Blob.Lead?) {
    guard !layer.inputs.isEmpty else { throw error(.invalidModel, "has no inputs") }
    let blobs = try layer.inputs.indices.map { try blob($0) }
    if let first = blobs[0].merged, blobs.allSatisfy({ $0.merged?.lead == first.lead }) {
      return (blobs.compactMap { $0.merged?.name }, first.lead)
    }
    return (try layer.inputs.indices.map { try input($0) }, nil)
  }
}
