/// Two kernels that process the middle dimension of `[outer][axis][inner]`. One gives each row to a work-group, the
/// other each column to a work-item.
struct CLAlong: Sendable {
  private let launch: OpenCLLaunch
  let outer: Int
  let axis: Int
  let inner: Int

  /// - Parameters:
  ///   - name: the kernels' name without `_rows` and `_columns`.
  ///   - memory: the kernels' tensors.
  init(
    _ context: OpenCLContext, _ name: String, of source: String, _ definitions: [String: String] = [:], outer: Int,
    axis: Int, inner: Int, memory: [OpenCLParameter]
  ) throws {
    (self.outer, self.axis, self.inner) = (outer, axis, inner)
    let count = try CLSizes.count([outer, axis, inner], name)
    let index = CLSizes(count, try CLSizes.count([outer, inner], name))
    let isByGroup = Self.isByGroup(axis: axis, inner: inner)
    let group = Self.group(context.device, axis)
    let kernel = try context.kernel(
      isByGroup ? "\(name)_rows" : "\(name)_columns", of: .embedded(source),
      definitions.merging(["INDEX": index.definition, "GROUP": "\(group)"]) { $1 })
    let columns = outer * inner
    if isByGroup {
      launch = try kernel.launch(memory + [index.one(axis)], global: [outer * group], local: [group])
    } else {
      let size = CLElements(columns, kernel)
      launch = try kernel.launch(
        memory + [index.one(axis), index.one(max(inner, 1)), index.one(columns)], global: [size.global],
        local: [min(size.local, 64)])
    }
  }

  /// Rows of a few elements would leave a work-group idle.
  private static func isByGroup(axis: Int, inner: Int) -> Bool { inner == 1 && axis >= 32 }

  /// The share of a device that these kernels occupy. Each compute unit has lanes for 64 work-items.
  static func share(of device: OpenCLDevice, outer: Int, axis: Int, inner: Int) -> Double {
    let lanes = Double(outer) * Double(inner) * (isByGroup(axis: axis, inner: inner) ? Double(group(device, axis)) : 1)
    return min(max(lanes, 1) / Double(64 * max(device.computeUnits, 1)), 1)
  }

  /// Work-items for a row of `count` elements.
  static func group(_ device: OpenCLDevice, _ count: Int) -> Int {
    min(CLMatrixProduct.powerOfTwo(device.maxWorkGroupSize), count > 512 ? 256 : 64)
  }

  func enqueue(on queue: OpenCLQueue, _ x: OpenCLMemory, _ y: OpenCLMemory) throws {
    try launch.enqueue(on: queue, x, y)
  }
}
