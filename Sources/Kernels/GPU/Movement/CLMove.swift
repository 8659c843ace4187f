/// Copies a box of elements from one strided tensor to another. It implements slices, reversals, concatenation, splits,
/// tiling, broadcasting and transposes.
package struct CLMove: Sendable {
  /// A view of a tensor: a start, and one stride for each dimension, in elements.
  package struct View: Sendable, Hashable {
    /// Elements of the tensor. No view reaches outside.
    package let count: Int
    package let start: Int
    package let strides: [Int]

    package init(count: Int, start: Int, strides: [Int]) {
      self.count = count
      self.start = start
      self.strides = strides
    }

    /// The whole of a row-major tensor.
    package init(_ shape: [Int]) throws {
      self.init(count: try CLSizes.count(shape, "a view"), start: 0, strides: CLSizes.strides(shape))
    }

    /// Throws unless every element of a box of `sizes` is inside.
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

  package enum Way: Sendable, Hashable {
    /// A work-item copies single elements at any positions.
    case strided
    /// Transposes a batch of matrices through local memory. Both sides are accessed along rows.
    case tiles
  }

  private let launch: OpenCLLaunch

  /// Copies a box of `sizes`. The target view must not address an element twice. Throws if `way` does not support the
  /// move.
  package init(
    _ context: OpenCLContext, elementSize: Int, sizes: [Int], from source: View, to target: View, by way: Way = .strided
  ) throws {
    let count = try CLSizes.count(sizes, "move")
    if count > 0 {
      try source.check(sizes, "move: from")
      try target.check(sizes, "move: to")
    }
    let index = CLSizes(source.count, target.count, count)
    let memory = [
      OpenCLParameter.memory("x", count: source.count, size: elementSize),
      .memory("y", count: target.count, size: elementSize),
    ]
    var definitions = ["INDEX": index.definition, "T": try clMoveType(elementSize)]
    if way == .tiles {
      guard let matrices = Matrices(sizes, source, target) else {
        throw KernelError(.openCLLaunch, "move: \(sizes) is no batch of matrices to transpose")
      }
      let kernel = try context.kernel("transpose", of: .embedded("move"), definitions)
      launch = try kernel.launch(
        memory + [index.one(matrices.rows), index.one(matrices.columns)],
        global: [(matrices.columns + 31) / 32 * 32, (matrices.rows + 31) / 32 * 8, matrices.batch], local: [32, 8, 1])
    } else {
      let walk = CLWalk(sizes, [source.strides, target.strides])
      definitions["RANK"] = "\(walk.sizes.count)"
      let kernel = try context.kernel("move", of: .embedded("move"), definitions)
      let size = CLElements(count, kernel)
      launch = try kernel.launch(
        memory + [
          walk.argument(index), .long(Int64(source.start)), .long(Int64(target.start)), index.one(count),
        ], global: [size.global], local: [size.local])
    }
  }

  /// `x` and `y` hold the elements of their views and must not overlap.
  package func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws {
    try launch.enqueue(on: queue, x, y)
  }
}

extension CLMove {
  /// A move that transposes whole matrices: the innermost dimension of x is the second of y.
  struct Matrices {
    let batch: Int
    let rows: Int
    let columns: Int

    /// Nil for any other move, and for matrices that are too narrow or too many for the kernel.
    init?(_ sizes: [Int], _ source: View, _ target: View) {
      let count = sizes.reduce(1, *)
      let walk = CLWalk(sizes, [source.strides, target.strides])
      let sizes = [Int](repeating: 1, count: max(3 - walk.sizes.count, 0)) + walk.sizes
      guard sizes.count == 3, walk.sizes.count >= 2, source.start == 0, target.start == 0, source.count == count,
        target.count == count
      else { return nil }
      // The sizes are those of y: [batch, columns of x, rows of x].
      (batch, columns, rows) = (sizes[0], sizes[1], sizes[2])
      let x = Array(walk.strides[0].suffix(2))
      let y = Array(walk.strides[1].suffix(2))
      guard x == [1, columns], y == [rows, 1], columns >= 8, rows >= 8, batch <= 65_535, rows <= 65_535 * 32 else {
        return nil
      }
      if batch > 1 {
        guard walk.strides[0].first == rows * columns, walk.strides[1].first == rows * columns else { return nil }
      }
    }
  }
}
