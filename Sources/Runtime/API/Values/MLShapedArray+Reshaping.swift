extension MLShapedArray {
  /// Returns the scalars, in first-major order, in another shape.
  ///
  /// - Precondition: the new shape has the same number of scalars.
  public func reshaped(to newShape: [Int]) -> MLShapedArray { MLShapedArray(view: view.reshaped(newShape)) }

  /// Removes the axes of size 1. If all axes have size 1, the result has rank 0.
  public func squeezingShape() -> MLShapedArray { MLShapedArray(view: view.squeezed()) }

  /// Inserts an axis of size 1 before the given axis. An `axis` equal to the rank appends it.
  public func expandingShape(at axis: Int) -> MLShapedArray { MLShapedArray(view: view.expanded(at: axis)) }

  /// Reverses the order of the axes.
  public func transposed() -> MLShapedArray { MLShapedArray(view: view.transposed(shape.indices.reversed())) }

  /// Permutes the axes: axis `i` of the result is axis `axes[i]` of this array.
  ///
  /// - Precondition: the permutation contains every axis once.
  public func transposed(permutation axes: [Int]) -> MLShapedArray { MLShapedArray(view: view.transposed(axes)) }

  /// Returns a copy with another memory layout.
  public func changingLayout(to bufferLayout: MLShapedArrayBufferLayout) -> MLShapedArray {
    MLShapedArray(view: view.copied(ShapedLayout(shape: shape, bufferLayout)))
  }
}

extension MLShapedArraySlice {
  /// Returns the scalars, in first-major order, in another shape.
  ///
  /// - Precondition: the new shape has the same number of scalars.
  public func reshaped(to newShape: [Int]) -> MLShapedArraySlice { MLShapedArraySlice(view: view.reshaped(newShape)) }

  /// Removes the axes of size 1. If all axes have size 1, the result has rank 0.
  public func squeezingShape() -> MLShapedArraySlice { MLShapedArraySlice(view: view.squeezed()) }

  /// Inserts an axis of size 1 before the given axis. An `axis` equal to the rank appends it.
  public func expandingShape(at axis: Int) -> MLShapedArraySlice { MLShapedArraySlice(view: view.expanded(at: axis)) }

  /// Reverses the order of the axes.
  public func transposed() -> MLShapedArraySlice { MLShapedArraySlice(view: view.transposed(shape.indices.reversed())) }

  /// Permutes the axes: axis `i` of the result is axis `axes[i]` of this slice.
  ///
  /// - Precondition: the permutation contains every axis once.
  public func transposed(permutation axes: [Int]) -> MLShapedArraySlice {
    MLShapedArraySlice(view: view.transposed(axes))
  }

  /// Returns a copy with another memory layout.
  public func changingLayout(to bufferLayout: MLShapedArrayBufferLayout) -> MLShapedArraySlice {
    MLShapedArraySlice(view: view.copied(ShapedLayout(shape: shape, bufferLayout)))
  }
}

extension ShapedView {
  fileprivate func squeezed() -> ShapedView { rearranged(layout.shape.indices.filter { layout.shape[$0] != 1 }) }

  fileprivate func expanded(at axis: Int) -> ShapedView {
    precondition((0...layout.shape.count).contains(axis), "an axis cannot be put at \(axis) of \(layout.shape)")
    var axes = layout.shape.indices.map(Optional.some)
    axes.insert(nil, at: axis)
    return rearranged(axes)
  }

  fileprivate func transposed(_ axes: [Int]) -> ShapedView {
    precondition(axes.sorted() == Array(layout.shape.indices), "\(axes) is no order of the axes of \(layout.shape)")
    return rearranged(axes)
  }
}
