/// A range of indices on an axis of a shaped array.
public protocol MLShapedArrayRangeExpression {
  /// The selected indices on an axis with the indices `range`. For example `1...` on an axis of size 3 is `1..<3`.
  func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int>
}

extension Range: MLShapedArrayRangeExpression where Bound == Int {
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> { self }
}

extension ClosedRange: MLShapedArrayRangeExpression where Bound == Int {
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> { lowerBound..<upperBound + 1 }
}

extension PartialRangeFrom: MLShapedArrayRangeExpression where Bound == Int {
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> { lowerBound..<range.upperBound }
}

extension PartialRangeThrough: MLShapedArrayRangeExpression where Bound == Int {
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> { range.lowerBound..<upperBound + 1 }
}

extension PartialRangeUpTo: MLShapedArrayRangeExpression where Bound == Int {
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> { range.lowerBound..<upperBound }
}
