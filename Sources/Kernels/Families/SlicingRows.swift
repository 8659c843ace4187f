import MIL

extension KernelTable {
  static let slicingRows: [Row] = [
    // The size is fixed, where it begins is not: a window into a longer sequence.
    Row("copy.dynamic", for: "slice_by_size") { site in
      let shape = try site.sizes("x")
      let (slot, size) = (try site.slot("x"), try site.elementSize("x"))
      let whole: @Sendable (CPUFrame) throws -> Void = { frame in
        let slices = try site.invocation(reading: frame).slicesBySize(of: shape)
        let view = CopyView(slices: slices, of: shape)
        guard view.shape == (try site.outputSizes()) else {
          throw KernelError(
            .invalidInput,
            "\(site.invocation.operation.label): the slice has the shape \(view.shape), planned was another")
        }
        try StridedCopy(
          elementSize: size, shape: view.shape, inStrides: view.strides, outStrides: rowMajorStrides(view.shape),
          inOffset: view.offset
        )(from: frame.inputs[slot], to: frame.outputs[0], pool: frame.pool)
      }
      guard let slice = try RunTimeSlice(sizing: site, of: shape, planned: site.outputSizes()) else {
        return .cpu(efficiency: 1, whole)
      }
      let copy = try StridedCopy(
        elementSize: size, shape: slice.shape, inStrides: slice.strides, outStrides: rowMajorStrides(slice.shape))
      return .cpu(efficiency: 1) { frame in
        // What is wrong with the place is said the long way.
        guard let begin = slice.offset(frame) else { return try whole(frame) }
        copy(from: frame.inputs[slot], skipping: begin, to: frame.outputs[0], pool: frame.pool)
      }
    },
    Row("copy", for: "slice_update") { site in
      let shape = try site.sizes("x")
      let update = try site.sizes("update")
      let size = try site.elementSize("x")
      let copy = try site.known { try updateCopy(site.invocation.slices(of: shape), shape, update, size) }
      return try updateOffer(site) { frame, slot in
        copy(from: frame.inputs[slot], to: frame.outputs[0], pool: frame.pool)
      }
    },
    Row("copy.dynamic", for: "slice_update") { site in
      let shape = try site.sizes("x")
      let update = try site.sizes("update")
      let size = try site.elementSize("x")
      let whole: @Sendable (CPUFrame, Int) throws -> Void = { frame, slot in
        let copy = try updateCopy(site.invocation(reading: frame).slices(of: shape), shape, update, size)
        copy(from: frame.inputs[slot], to: frame.outputs[0], pool: frame.pool)
      }
      guard let slice = try RunTimeSlice(indexing: site, of: shape, planned: update) else {
        return try updateOffer(site, whole)
      }
      let copy = try StridedCopy(
        elementSize: size, shape: update, inStrides: rowMajorStrides(update), outStrides: slice.strides)
      return try updateOffer(site) { frame, slot in
        guard let begin = slice.offset(frame) else { return try whole(frame, slot) }
        copy(from: frame.inputs[slot], to: frame.outputs[0], leaving: begin, pool: frame.pool)
      }
    },
  ]

  /// `x` to the output, unless it is there already, then the update into its slice: `copy` is given the update's operand.
  private static func updateOffer(
    _ site: Site, _ copy: @escaping @Sendable (CPUFrame, Int) throws -> Void
  ) throws -> Offer {
    let (x, update) = (try site.slot("x"), try site.slot("update"))
    let whole = try StridedCopy.whole(site.invocation.tensor("x"))
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
  /// The slice's own elements; indexed axes are left out.
  init(slices: [SliceAxis], of shape: [Int]) {
    let strides = rowMajorStrides(shape)
    let kept = slices.indices.filter { !slices[$0].isSqueezed }
    // Nothing of an empty slice is read, so that its begin may lie past the end.
    let isEmpty = slices.contains { $0.count == 0 }
    self.init(
      kept.map { slices[$0].count }, kept.map { strides[$0] * (isEmpty ? 1 : slices[$0].stride) },
      isEmpty ? 0 : slices.indices.reduce(0) { $0 + slices[$1].begin * strides[$1] })
  }
}

extension StridedCopy {
  /// All of a contiguous tensor.
  static func whole(_ type: TensorType) throws -> StridedCopy {
    guard let bytes = type.byteCount else { throw Refusal("strings have no planned memory") }
    return try StridedCopy(elementSize: 1, shape: [bytes], inStrides: [1], outStrides: [1])
  }
}
