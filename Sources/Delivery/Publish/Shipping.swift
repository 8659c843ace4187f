import Foundation

/// Stores files as objects of the published tree.
struct Shipping {
  let published: PublisherFiles
  let known: [String: [ShippedFile.Encoding]]

  /// A file of a tree: its path and its encodings.
  struct Item {
    let url: URL
    let shipped: ShippedFile
  }

  func ship(tree source: URL) throws -> [Item] {
    try ModelContents(of: source).entries.map { entry in
      let single = entry.path.isEmpty
      let url = single ? source : source.appending(path: entry.path)
      return Item(url: url, shipped: try ship(url, as: single ? TreeDigest.fileName : entry.path))
    }
  }

  func ship(golden file: URL, _ name: String) throws -> ShippedFile {
    let kind = file.pathExtension
    guard ["npz", "json"].contains(kind) else {
      throw DeliveryError(.cannotPublish, "expected features in a .npz or .json file", file: file.path)
    }
    return try ship(file, as: "\(name).\(kind)")
  }

  /// Encodes a file with the best encoding, unless its object exists already.
  func ship(_ file: URL, as path: String) throws -> ShippedFile {
    let digest = try FileDigest(of: file)
    if let encodings = known[digest.sha256],
      encodings.allSatisfy({ FileManager.default.fileExists(atPath: published.objectFile($0.object).path) })
    {
      return ShippedFile(path: path, size: digest.size, sha256: digest.sha256, encodings: encodings)
    }
    let kind = try PayloadCodec.bestEncoding(of: file)
    let draft = published.host.appending(path: "objects/.\(UUID().uuidString).new")
    try PublisherFiles.makeFolder(draft.deletingLastPathComponent())
    defer { unlink(draft.path) }
    let (size, object) = try PayloadCodec.encode(file, as: kind, to: draft)
    let encoding = ShippedFile.Encoding(kind: kind, object: object, size: size)
    let shipped = ShippedFile(path: path, size: digest.size, sha256: digest.sha256, encodings: [encoding])
    // The encoded file is decoded and verified before it is published.
    let check = draft.deletingPathExtension().appendingPathExtension("check")
    try PayloadCodec.decode(draft, encoding, of: shipped, to: check)
    unlink(check.path)
    let place = published.objectFile(object)
    try PublisherFiles.makeFolder(place.deletingLastPathComponent())
    guard rename(draft.path, place.path) == 0 else {
      throw DeliveryError(.unwritable, "the object cannot be put in its place", at: place, errno: errno)
    }
    try FolderReplacement.synchronize(place.deletingLastPathComponent())
    return shipped
  }

  /// Returns the deltas from older trees that save at least a third of the download.
  func deltas(from earlier: [Variant], to variant: Variant, _ files: [Item]) throws -> [TreeDelta] {
    var deltas: [TreeDelta] = []
    for old in earlier where old.tree != variant.tree && !deltas.contains(where: { $0.from == old.tree }) {
      let work = published.folder.appending(path: "work-\(UUID().uuidString)", directoryHint: .isDirectory)
      try DeliveryDirectories.makeFolder(work)
      defer { try? FileManager.default.removeItem(at: work) }
      let tree = work.appending(path: "tree", directoryHint: .isDirectory)
      try DeliveryDirectories.makeFolder(tree)
      try VariantAssembly.assemble(old, in: tree) { published.objectFile($0.object) }
      let payload = work.appending(path: "delta")
      try DeltaPayload.make(
        from: old.files.map { ($0.path, tree.appending(path: $0.path)) },
        to: files.map { ($0.shipped.path, $0.url) }, at: payload)
      let size = try FileDigest(of: payload).size
      // If most of the content is new, encoding and uploading the delta saves nothing.
      guard size < variant.size / 2 else { continue }
      let delta = TreeDelta(from: old.tree, payload: try ship(payload, as: "delta"))
      guard (delta.payload.smallest?.size ?? .max) < variant.shippedSize / 3 * 2 else { continue }
      let made = work.appending(path: "made", directoryHint: .isDirectory)
      try DeliveryDirectories.makeFolder(made)
      try VariantAssembly.assemble(variant, applying: delta, to: tree, in: made) { published.objectFile($0.object) }
      deltas.append(delta)
    }
    return deltas
  }
}
