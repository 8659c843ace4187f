extension MLShapedArrayProtocol {
  /// The index of the next slice.
  public func index(after index: Int) -> Int { index + 1 }
  /// The index at a distance, which may be negative.
  public func index(_ index: Int, offsetBy distance: Int) -> Int { index + distance }

  /// The slice at an index of the first axis, without that axis.
  public subscript(index: Int) -> MLShapedArraySlice<Scalar> {
    get { self[CollectionOfOne(index)] }
    set { self[CollectionOfOne(index)] = newValue }
  }

  /// The slice at an index of each leading axis, without these axes.
  public subscript(indices: Int...) -> MLShapedArraySlice<Scalar> {
    get { self[indices] }
    set { self[indices] = newValue }
  }

  /// The scalar at one index per axis.
  public subscript(scalarAt indices: Int...) -> Scalar {
    get { self[scalarAt: indices] }
    set { self[scalarAt: indices] = newValue }
  }

  /// The slice within a range of each leading axis. The other axes are complete.
  public subscript<C: Collection>(partialSliceRanges: C) -> MLShapedArraySlice<Scalar>
  where C.Element == any MLShapedArrayRangeExpression {
    get { self[ranges(partialSliceRanges)] }
    set { self[ranges(partialSliceRanges)] = newValue }
  }

  /// The slice within a range of each leading axis. The other axes are complete.
  public subscript(sliceRanges: any MLShapedArrayRangeExpression...) -> MLShapedArraySlice<Scalar> {
    get { self[ranges(sliceRanges)] }
    set { self[ranges(sliceRanges)] = newValue }
  }

  /// The slice within a range of the first axis.
  public subscript(sliceRange: any MLShapedArrayRangeExpression) -> MLShapedArraySlice<Scalar> {
    get { self[ranges(CollectionOfOne(sliceRange))] }
    set { self[ranges(CollectionOfOne(sliceRange))] = newValue }
  }

  /// The slice within a range of the first axis. The indices of the slice start at 0.
  public subscript(sliceRange: Range<Int>) -> MLShapedArraySlice<Scalar> {
    get { self[ranges(CollectionOfOne<any MLShapedArrayRangeExpression>(sliceRange))] }
    set { self[ranges(CollectionOfOne<any MLShapedArrayRangeExpression>(sliceRange))] = newValue }
  }

  /// The slice that contains the whole array.
  public subscript(_: (UnboundedRange_) -> Void) -> MLShapedArraySlice<Scalar> {
    get { self[shape.map { 0..<$0 }] }
    set { self[shape.map { 0..<$0 }] = newValue }
  }

  private func ranges<C: Collection>(_ expressions: C) -> [Range<Int>]
  where C.Element == any MLShapedArrayRangeExpression {
    let shape = self.shape
    precondition(expressions.count <= shape.count, "\(expressions.count) ranges are given, the shape is \(shape)")
    var ranges = shape.map { 0..<$0 }
    for (axis, expression) in expressions.enumerated() {
      ranges[axis] = expression.relative(toShapedArrayAxis: ranges[axis])
    }
    return ranges
  }
}
