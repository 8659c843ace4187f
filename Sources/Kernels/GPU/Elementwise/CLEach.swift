extension OpenCLContext {
  /// A launch of a kernel whose work-items each take elements of what it writes: `count` of them, counted and placed by numbers of `index`.
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
