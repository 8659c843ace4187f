/// Copies a box of elements from one strided tensor to another: slices, reversals, concatenation, splits, tiling,
/// broadcasting and transposes are all this.
public struct CLMove: Sendable {
  /// A tensor seen through a start and one stride a dimension, in elements.
  public struct View: Sendable, Hashable {
    /// Elements of the tensor: no view reaches outside.
    public let count: Int
    public let start: Int
    public let strides: [Int]

    public init(count: Int, start: Int, strides: [Int]) {
      self.count = count
      self.start = start
      self.strides = strides
    }

    /// All of a row-major tensor.
    public init(_ shape: [Int]) throws {
      self.init(count: try CLSizes.count(shape, "a view"), start: 0, strides: CLSizes.strides(shape))
    }

    /// Throws unless every element of a box of `sizes` lies inside.
    fileprivate func check(_ sizes: [Int], _ what: String) throws(KernelError) {
      var low = start
      var high = start
      for (size, stride) in zip(sizes, strides) {
        let (reach, overflow) = stride.multipliedReportingOverflow(by: size - 1)
        let (end, wraps) = (reach < 0 ? low : high).addingReportingOverflow(reach)
        guard !overflow, !wraps else { throw KernelError(.openCLLaunch, "\(what): strides \(strides) overflow") }
        if reach < 0 { low = end } else { high = end }
      }
      guard strides.count == sizes.count, low >= 0, high < count else {
        throw KernelError(
          .openCLLaunch,
          "\(what): a box of \(sizes) from \(start) with strides \(strides) reaches outside of \(count) elements")
      }
    }
  }

  private enum Way: Sendable {
    case strided(OpenCLKernel, CLWalk)
    /// A batch of matrices transposed through local memory.
    case transposed(OpenCLKernel, batch: Int, rows: Int, columns: Int)
  }

  private let way: Way
  private let elementSize: Int
  private let source: View
  private let target: View
  private let count: Int
  private let index: CLSizes

  /// Copies a box of `sizes`. Elements of the target may not be written twice.
  public init(_ context: OpenCLContext, elementSize: Int, sizes: [Int], from source: View, to target: View) throws {
    self.elementSize = elementSize
    self.source = source
    self.target = target
    count = try CLSizes.count(sizes, "move")
    if count > 0 {
      try source.check(sizes, "move: from")
      try target.check(sizes, "move: to")
    }
    index = CLSizes(source.count, target.count, count)
    let walk = CLWalk(sizes, [source.strides, target.strides])
    let definitions = ["INDEX": index.definition, "T": try clMoveType(elementSize)]
    if let matrices = Self.matrices(walk, source, target, count), context.device.maxWorkGroupSize >= 256 {
      let kernel = try context.kernel("transpose", of: "move", definitions)
      if kernel.maxWorkGroupSize >= 256 {
        way = .transposed(kernel, batch: matrices.batch, rows: matrices.rows, columns: matrices.columns)
        return
      }
    }
    let ranked = definitions.merging(["RANK": "\(walk.sizes.count)"]) { $1 }
    way = .strided(try context.kernel("move", of: "move", ranked), walk)
  }

  /// A walk over the target of which x's innermost dimension is y's second: whole matrices, transposed.
  private static func matrices(
    _ walk: CLWalk, _ source: View, _ target: View, _ count: Int
  ) -> (batch: Int, rows: Int, columns: Int)? {
    let sizes = [Int](repeating: 1, count: max(3 - walk.sizes.count, 0)) + walk.sizes
    guard sizes.count == 3, walk.sizes.count >= 2, source.start == 0, target.start == 0, source.count == count,
      target.count == count
    else { return nil }
    // Sizes are those of y: [batch, columns of x, rows of x].
    let (batch, columns, rows) = (sizes[0], sizes[1], sizes[2])
    let x = Array(walk.strides[0].suffix(2))
    let y = Array(walk.strides[1].suffix(2))
    guard x == [1, columns], y == [rows, 1], columns >= 8, rows >= 8, batch <= 65_535,
      rows <= 65_535 * 32
    else { return nil }
    if batch > 1 {
      guard walk.strides[0].first == rows * columns, walk.strides[1].first == rows * columns else { return nil }
    }
    return (batch, rows, columns)
  }

  /// `x` and `y` hold the elements of their views and do not overlap.
  public func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws {
    try x.require(source.count, of: elementSize, "move: x")
    try y.require(target.count, of: elementSize, "move: y")
    let memory = [OpenCLArgument.tensor(x, elementSize: elementSize), .tensor(y, elementSize: elementSize)]
    switch way {
    case .strided(let kernel, let walk):
      let size = CLElements(count, kernel)
      try kernel.enqueue(
        on: queue,
        memory + [
          walk.argument(index), .long(Int64(source.start)), .long(Int64(target.start)), index.one(count),
        ], global: [size.global], local: [size.local])
    case .transposed(let kernel, let batch, let rows, let columns):
      try kernel.enqueue(
        on: queue, memory + [index.one(rows), index.one(columns)],
        global: [(columns + 31) / 32 * 32, (rows + 31) / 32 * 8, batch], local: [32, 8, 1])
    }
  }
}
