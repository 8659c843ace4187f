enum SlicingOperations {
  private static let sliceParameters: [Parameter] = [
    .required("begin"), .required("end"), .optional("stride"), .optional("begin_mask"), .optional("end_mask"),
    .optional("squeeze_mask"),
  ]

  /// Slices of a tensor (coremltools: `tensor_transformation`; `slice_update` since iOS18).
  static let all: [OperationDefinition] = [
    .movement("slice_by_index", [.required("x")] + sliceParameters) { call in
      let x = try call.tensor("x")
      return [.tensor(TensorType(x.scalar, try call.slicedShape(of: x.shape)))]
    },
    .movement("slice_update", [.required("x"), .required("update")] + sliceParameters) { call in
      let x = try call.tensor("x")
      let update = try call.tensor("update")
      let expected = TensorType(x.scalar, try call.slicedShape(of: x.shape))
      guard expected.agrees(with: update) else {
        throw call.error(.invalidShape, "'update' is \(update), the slice is \(expected)")
      }
      return [.tensor(x)]
    },
    .movement("slice_by_size", [.required("x"), .required("begin"), .required("size")]) { call in
      let x = try call.tensor("x")
      guard let sizes = try call.intsIfKnown("size") else {
        return [.tensor(TensorType(x.scalar, x.shape.map { _ in .unknown }))]
      }
      let begin = try call.intsIfKnown("begin")
      guard sizes.count == x.rank, begin == nil || begin?.count == x.rank else {
        throw call.error(
          .invalidArgument, "'begin' and 'size' must have \(x.rank) values for \(x)")
      }
      let shape = try x.shape.indices.map { axis -> Dimension in
        guard let begin, let extent = x.shape[axis].value else {
          return sizes[axis] == -1 ? .unknown : Dimension(sizes[axis])
        }
        return Dimension(try call.slice(begin[axis], sizes[axis], extent: extent, axis).count)
      }
      return [.tensor(TensorType(x.scalar, shape))]
    },
    .movement("sliding_windows", [.required("x"), .required("axis"), .required("size"), .optional("stride")]) { call in
      let x = try call.tensor("x")
      let axis = try call.axis("axis", rank: x.rank)
      let size = try call.int("size", atLeast: 1)
      let stride = try call.int("stride", default: 1)
      guard stride >= 1 else { throw call.error(.invalidArgument, "'stride' is \(stride), it must be at least 1") }
      if let extent = x.shape[axis].value, extent < size {
        throw call.error(.invalidArgument, "windows of \(size) do not fit into axis \(axis) of \(x)")
      }
      var shape = x.shape
      shape[axis] = (x.shape[axis] - size) / stride + 1
      shape.insert(Dimension(size), at: axis + 1)
      return [.tensor(TensorType(x.scalar, shape))]
    },
  ]
}

extension Invocation {
  /// The slices of `slice_by_size`, by axis.
  package func slicesBySize(of shape: [Int]) throws -> [SliceAxis] {
    let begin = try ints("begin")
    let sizes = try ints("size")
    guard begin.count == shape.count, sizes.count == shape.count else {
      throw error(.invalidArgument, "'begin' and 'size' must have \(shape.count) values")
    }
    return try shape.indices.map { try slice(begin[$0], sizes[$0], extent: shape[$0], $0) }
  }

  /// `size` elements from `begin` (counted from the end if negative). A size of -1 means all remaining elements.
  fileprivate func slice(_ begin: Int, _ size: Int, extent: Int, _ axis: Int) throws -> SliceAxis {
    let first = begin < 0 ? begin + extent : begin
    guard first >= 0, first <= extent, size >= -1, size <= extent - first else {
      throw error(
        .invalidArgument, "\(size) elements from \(begin) reach outside of axis \(axis), which has \(extent)")
    }
    return SliceAxis(begin: first, stride: 1, count: size == -1 ? extent - first : size)
  }
}
