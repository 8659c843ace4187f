extension MLShapedArray {
  /// The scalars in first-major order in another shape.
  ///
  /// - Precondition: the shape has as many scalars.
  public func reshaped(to newShape: [Int]) -> MLShapedArray { MLShapedArray(view: view.reshaped(newShape)) }

  /// Without the axes of size 1; where all are, a single scalar.
  public func squeezingShape() -> MLShapedArray { MLShapedArray(view: view.squeezed()) }

  /// With an axis of size 1 before the given one; at the rank, behind the last one.
  public func expandingShape(at axis: Int) -> MLShapedArray { MLShapedArray(view: view.expanded(at: axis)) }

  /// With the axes in reverse order.
  public func transposed() -> MLShapedArray { MLShapedArray(view: view.transposed(shape.indices.reversed())) }

  /// With the axes in another order: axis `i` of the result is axis `axes[i]` of this array.
  ///
  /// - Precondition: every axis is named once.
  public func transposed(permutation axes: [Int]) -> MLShapedArray { MLShapedArray(view: view.transposed(axes)) }

  /// A copy that lies in memory as given.
  public func changingLayout(to bufferLayout: MLShapedArrayBufferLayout) -> MLShapedArray {
    MLShapedArray(view: view.copied(ShapedLayout(shape: shape, bufferLayout)))
  }
}

extension MLShapedArraySlice {
  /// The scalars in first-major order in another shape.
  ///
  /// - Precondition: the shape has as many scalars.
  public func reshaped(to newShape: [Int]) -> MLShapedArraySlice { MLShapedArraySlice(view: view.reshaped(newShape)) }

  /// Without the axes of size 1; where all are, a single scalar.
  public func squeezingShape() -> MLShapedArraySlice { MLShapedArraySlice(view: view.squeezed()) }

  /// With an axis of size 1 before the given one; at the rank, behind the last one.
  public func expandingShape(at axis: Int) -> MLShapedArraySlice { MLShapedArraySlice(view: view.expanded(at: axis)) }

  /// With the axes in reverse order.
  public func transposed() -> MLShapedArraySlice { MLShapedArraySlice(view: view.transposed(shape.indices.reversed())) }

  /// With the axes in another order: axis `i` of the result is axis `axes[i]` of this one.
  ///
  /// - Precondition: every axis is named once.
  public func transposed(permutation axes: [Int]) -> MLShapedArraySlice {
    MLShapedArraySlice(view: view.transposed(axes))
  }

  /// A copy that lies in memory as given.
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
