/// A pair of kernels that work along the middle dimension of `[outer][axis][inner]`: one gives each row to a work-group,
/// the other each column to a work-item.
struct CLAlong: Sendable {
  let kernel: OpenCLKernel
  let outer: Int
  let axis: Int
  let inner: Int
  private let isByGroup: Bool
  private let group: Int
  private let index: CLSizes

  /// `name` is the kernels' name before `_rows` and `_columns`.
  init(
    _ context: OpenCLContext, _ name: String, of source: String, _ definitions: [String: String] = [:], outer: Int,
    axis: Int, inner: Int
  ) throws {
    (self.outer, self.axis, self.inner) = (outer, axis, inner)
    let count = try CLSizes.count([outer, axis, inner], name)
    index = CLSizes(count, try CLSizes.count([outer, inner], name))
    // Rows of a few numbers would leave a group idle.
    isByGroup = inner == 1 && axis >= 32
    group = Self.group(context.device, axis)
    kernel = try context.kernel(
      isByGroup ? "\(name)_rows" : "\(name)_columns", of: source,
      definitions.merging(["INDEX": index.definition, "GROUP": "\(group)"]) { $1 })
  }

  /// Work-items for a row of `count` numbers.
  static func group(_ device: OpenCLDevice, _ count: Int) -> Int {
    min(CLMatrixProduct.powerOfTwo(device.maxWorkGroupSize), count > 512 ? 256 : 64)
  }

  var columns: Int { outer * inner }

  func enqueue(on queue: OpenCLQueue, _ memory: [OpenCLArgument]) throws {
    if isByGroup {
      try kernel.enqueue(
        on: queue, memory + [index.one(axis)], global: [outer * group], local: [group])
    } else {
      let size = CLElements(columns, kernel)
      try kernel.enqueue(
        on: queue, memory + [index.one(axis), index.one(max(inner, 1)), index.one(columns)], global: [size.global],
        local: [min(size.local, 64)])
    }
  }
}
