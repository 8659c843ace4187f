import MIL

enum SlicingKernels {
  static let all: [KernelImplementation] = [
    // Slices with fixed size and variable offset: a window into a longer sequence.
    KernelImplementation("copy.dynamic", for: "slice_by_size") { problem in
      let shape = try problem.sizes("x")
      let (slot, size) = (try problem.slot("x"), try problem.elementSize("x"))
      let whole: @Sendable (CPUFrame) throws -> Void = { frame in
        let slices = try problem.invocation(reading: frame).slicesBySize(of: shape)
        let view = CopyView(slices: slices, of: shape)
        guard view.shape == (try problem.outputSizes()) else {
          throw KernelError(
            .invalidInput,
            "\(problem.invocation.operation.label): the slice has the shape \(view.shape), planned was another")
        }
        try StridedCopy(
          elementSize: size, shape: view.shape, inStrides: view.strides, outStrides: rowMajorStrides(view.shape),
          inOffset: view.offset
        )(from: frame.inputs[slot], to: frame.outputs[0], pool: frame.pool)
      }
      guard let slice = try RunTimeSlice(sizing: problem, of: shape, planned: problem.outputSizes()) else {
        return .cpu(efficiency: 1, whole)
      }
      let copy = try StridedCopy(
        elementSize: size, shape: slice.shape, inStrides: slice.strides, outStrides: rowMajorStrides(slice.shape))
      return .cpu(efficiency: 1) { frame in
        // The slow path reports what is wrong with the offset.
        guard let begin = slice.offset(frame) else { return try whole(frame) }
        copy(from: frame.inputs[slot], skipping: begin, to: frame.outputs[0], pool: frame.pool)
      }
    },
    KernelImplementation("copy", for: "slice_update") { problem in
      let shape = try problem.sizes("x")
      let update = try problem.sizes("update")
      let size = try problem.elementSize("x")
      let copy = try problem.known { try updateCopy(problem.invocation.slices(of: shape), shape, update, size) }
      return try updateCandidate(problem) { frame, slot in
        copy(from: frame.inputs[slot], to: frame.outputs[0], pool: frame.pool)
      }
    },
    KernelImplementation("copy.dynamic", for: "slice_update") { problem in
      let shape = try problem.sizes("x")
      let update = try problem.sizes("update")
      let size = try problem.elementSize("x")
      let whole: @Sendable (CPUFrame, Int) throws -> Void = { frame, slot in
        let copy = try updateCopy(problem.invocation(reading: frame).slices(of: shape), shape, update, size)
        copy(from: frame.inputs[slot], to: frame.outputs[0], pool: frame.pool)
      }
      guard let slice = try RunTimeSlice(indexing: problem, of: shape, planned: update) else {
        return try updateCandidate(problem, whole)
      }
      let copy = try StridedCopy(
        elementSize: size, shape: update, inStrides: rowMajorStrides(update), outStrides: slice.strides)
      return try updateCandidate(problem) { frame, slot in
        guard let begin = slice.offset(frame) else { return try whole(frame, slot) }
        copy(from: frame.inputs[slot], to: frame.outputs[0], leaving: begin, pool: frame.pool)
      }
    },
  ]

  /// Copies `x` to the output, unless both share memory, then the update into its slice. `copy` gets the slot of the
  /// update.
  private static func updateCandidate(
    _ problem: KernelProblem, _ copy: @escaping @Sendable (CPUFrame, Int) throws -> Void
  ) throws -> Candidate {
    let (x, update) = (try problem.slot("x"), try problem.slot("update"))
    let whole = try StridedCopy.whole(problem.invocation.tensor("x"))
    return .cpu(efficiency: 1, inPlace: [x]) { frame in
      if UnsafeRawPointer(frame.outputs[0]) != frame.inputs[x] {
        whole(from: frame.inputs[x], to: frame.outputs[0], pool: frame.pool)
      }
      try copy(frame, update)
    }
  }

  private static func updateCopy(
    _ slices: [SliceAxis], _ shape: [Int], _ update: [Int], _ elementSize: Int
  ) throws -> StridedCopy {
    let view = CopyView(slices: slices, of: shape)
    guard view.shape == update else {
      throw KernelError(.invalidInput, "the slice has the shape \(view.shape), the update \(update)")
    }
    return try StridedCopy(
      elementSize: elementSize, shape: update, inStrides: rowMajorStrides(update), outStrides: view.strides,
      outOffset: view.offset)
  }
}

extension CopyView {
  /// The elements of the slice, without the indexed axes.
  init(slices: [SliceAxis], of shape: [Int]) {
    let strides = rowMajorStrides(shape)
    let kept = slices.indices.filter { !slices[$0].isSqueezed }
    // An empty slice reads nothing, so its begin may be past the end.
    let isEmpty = slices.contains { $0.count == 0 }
    self.init(
      kept.map { slices[$0].count }, kept.map { strides[$0] * (isEmpty ? 1 : slices[$0].stride) },
      isEmpty ? 0 : slices.indices.reduce(0) { $0 + slices[$1].begin * strides[$1] })
  }
}

extension StridedCopy {
  /// Copies a whole contiguous tensor.
  static func whole(_ type: TensorType) throws -> StridedCopy {
    guard let bytes = type.byteCount else { throw Refusal("strings have no planned memory") }
    return try StridedCopy(elementSize: 1, shape: [bytes], inStrides: [1], outStrides: [1])
  }
}
