extension CLMove {
  /// MIL's `transpose`: dimension `i` of the output is dimension `permutation[i]` of `shape`.
  package static func transpose(
    _ context: OpenCLContext, elementSize: Int, shape: [Int], permutation: [Int], by way: Way = .strided
  ) throws -> CLMove {
    guard permutation.sorted() == Array(shape.indices) else {
      throw KernelError(.openCLLaunch, "transpose: \(permutation) is no permutation of \(shape.count) dimensions")
    }
    let sizes = permutation.map { shape[$0] }
    let strides = CLSizes.strides(shape)
    let view = View(
      count: try CLSizes.count(shape, "transpose"), start: 0, strides: permutation.map { strides[$0] })
    return try CLMove(context, elementSize: elementSize, sizes: sizes, from: view, to: View(sizes), by: way)
  }

  /// Copies a box of `sizes` that starts at `begin` and takes every `step`-th element (backward for negative steps) to
  /// a packed tensor.
  package static func slice(
    _ context: OpenCLContext, elementSize: Int, shape: [Int], begin: [Int], step: [Int], sizes: [Int]
  ) throws -> CLMove {
    try CLMove(
      context, elementSize: elementSize, sizes: sizes, from: View(box: shape, begin: begin, step: step),
      to: View(sizes))
  }

  /// Copies a packed tensor of `sizes` to `begin` of a tensor of `shape`. It is one part of a concatenation, the
  /// interior of a constant padding, or (with `step`) a scattered slice.
  package static func place(
    _ context: OpenCLContext, elementSize: Int, sizes: [Int], in shape: [Int], begin: [Int], step: [Int]? = nil
  ) throws -> CLMove {
    guard sizes.count == shape.count else {
      throw KernelError(.openCLLaunch, "place: \(sizes.count) dimensions in \(shape.count)")
    }
    return try CLMove(
      context, elementSize: elementSize, sizes: sizes, from: View(sizes),
      to: View(box: shape, begin: begin, step: step ?? shape.map { _ in 1 }))
  }

  /// MIL's `tile`: `shape` repeated `repeats[i]` times along each dimension.
  package static func tile(
    _ context: OpenCLContext, elementSize: Int, shape: [Int], repeats: [Int]
  ) throws -> CLMove {
    guard repeats.count == shape.count else {
      throw KernelError(.openCLLaunch, "tile: \(repeats.count) repeats for \(shape.count) dimensions")
    }
    let sizes = zip(repeats, shape).flatMap { [$0, $1] }
    let strides = CLSizes.strides(shape).flatMap { [0, $0] }
    let view = View(count: try CLSizes.count(shape, "tile"), start: 0, strides: strides)
    return try CLMove(context, elementSize: elementSize, sizes: sizes, from: view, to: View(sizes))
  }

  /// `shape` broadcast to `target`.
  package static func broadcast(
    _ context: OpenCLContext, elementSize: Int, shape: [Int], to target: [Int]
  ) throws -> CLMove {
    let view = View(
      count: try CLSizes.count(shape, "broadcast"), start: 0,
      strides: try CLWalk.broadcast(shape, to: target, "broadcast"))
    return try CLMove(context, elementSize: elementSize, sizes: target, from: view, to: View(target))
  }
}

extension CLMove.View {
  /// Elements `begin`, `begin + step`, ... of each dimension of a row-major tensor.
  init(box shape: [Int], begin: [Int], step: [Int]) throws(KernelError) {
    guard begin.count == shape.count, step.count == shape.count else {
      throw KernelError(.openCLLaunch, "a slice of \(shape) with begin \(begin) and steps \(step)")
    }
    let count = try CLSizes.count(shape, "slice")
    let strides = CLSizes.strides(shape)
    var start = 0
    var steps: [Int] = []
    for index in shape.indices {
      let (offset, first) = begin[index].multipliedReportingOverflow(by: strides[index])
      let (stride, second) = step[index].multipliedReportingOverflow(by: strides[index])
      // A begin outside of its dimension could reach into the next row without leaving the tensor.
      guard !first, !second, (0..<max(shape[index], 1)).contains(begin[index]) else {
        throw KernelError(.openCLLaunch, "a slice of \(shape) with begin \(begin) and steps \(step)")
      }
      start += offset
      steps.append(stride)
    }
    self.init(count: count, start: start, strides: steps)
  }
}
