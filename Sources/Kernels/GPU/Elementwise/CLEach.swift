extension OpenCLContext {
  /// A launch whose work-items each compute some of the `count` output elements. The kernel uses the index type of
  /// `index`.
  func each(
    _ name: String, of source: String, _ definitions: [String: String], _ index: CLSizes, count: Int,
    _ parameters: [OpenCLParameter]
  ) throws -> OpenCLLaunch {
    let kernel = try kernel(
      name, of: .embedded(source), definitions.merging(["INDEX": index.definition]) { own, _ in own })
    let size = CLElements(count, kernel)
    return try kernel.launch(parameters, global: [size.global], local: [size.local])
  }
}
