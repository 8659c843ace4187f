/// An argument of a tensor's subscript for one axis.
public protocol MLTensorRangeExpression: Sendable {
  /// The selection on an axis.
  var tensorRange: MLTensorRange { get }
}

/// A selection on an axis of a tensor.
public struct MLTensorRange: MLTensorRangeExpression, Sendable, Equatable {
  enum Meaning: Equatable, Sendable {
    case index(Int)
    /// A nil bound is the end of the axis.
    case range(Int?, Int?, stride: Int)
    case newAxis
    case squeezeAxis
    /// All axes without another argument.
    case rest
  }

  let meaning: Meaning

  /// Returns `self`.
  public var tensorRange: MLTensorRange { self }
}

extension MLTensorRangeExpression where Self == MLTensorRange {
  /// A new axis of size 1.
  public static var newAxis: MLTensorRange { MLTensorRange(meaning: .newAxis) }
  /// All axes without another argument, like `...`. `nil` selects one whole axis.
  public static var fillAll: MLTensorRange { MLTensorRange(meaning: .rest) }
  /// Removes an axis of size 1.
  public static var squeezeAxis: MLTensorRange { MLTensorRange(meaning: .squeezeAxis) }
  /// The slice at an index of the axis; the axis is removed. A negative index counts from the end.
  public static func index(_ index: Int) -> MLTensorRange { MLTensorRange(meaning: .index(index)) }

  /// Every `stride`th index in a range.
  public static func range(_ range: Range<Int>, stride: Int = 1) -> MLTensorRange {
    MLTensorRange(meaning: .range(range.lowerBound, range.upperBound, stride: stride))
  }

  /// Every `stride`th index in a range.
  public static func closedRange(_ range: ClosedRange<Int>, stride: Int = 1) -> MLTensorRange {
    MLTensorRange(meaning: .range(range.lowerBound, range.upperBound + 1, stride: stride))
  }

  /// Every `stride`th index from an index on.
  public static func partialRangeFrom(_ range: PartialRangeFrom<Int>, stride: Int = 1) -> MLTensorRange {
    MLTensorRange(meaning: .range(range.lowerBound, nil, stride: stride))
  }

  /// Every `stride`th index before an index.
  public static func partialRangeUpTo(_ range: PartialRangeUpTo<Int>, stride: Int = 1) -> MLTensorRange {
    MLTensorRange(meaning: .range(nil, range.upperBound, stride: stride))
  }

  /// Every `stride`th index up to and including an index.
  public static func partialRangeUpTo(_ range: PartialRangeThrough<Int>, stride: Int = 1) -> MLTensorRange {
    MLTensorRange(meaning: .range(nil, range.upperBound + 1, stride: stride))
  }

  /// Every `stride`th index up to and including an index.
  public static func partialRangeThrough(_ range: PartialRangeThrough<Int>, stride: Int = 1) -> MLTensorRange {
    .partialRangeUpTo(range, stride: stride)
  }
}

extension Int: MLTensorRangeExpression {
  /// The slice at the index; the axis is removed.
  public var tensorRange: MLTensorRange { .index(self) }
}

extension Range: MLTensorRangeExpression where Bound == Int {
  /// The indices in the range.
  public var tensorRange: MLTensorRange { .range(self, stride: 1) }
}

extension ClosedRange: MLTensorRangeExpression where Bound == Int {
  /// The indices in the range.
  public var tensorRange: MLTensorRange { .closedRange(self, stride: 1) }
}

extension PartialRangeFrom: MLTensorRangeExpression where Bound == Int {
  /// The indices from the bound on.
  public var tensorRange: MLTensorRange { .partialRangeFrom(self, stride: 1) }
}

extension PartialRangeUpTo: MLTensorRangeExpression where Bound == Int {
  /// The indices before the bound.
  public var tensorRange: MLTensorRange { .partialRangeUpTo(self, stride: 1) }
}

extension PartialRangeThrough: MLTensorRangeExpression where Bound == Int {
  /// The indices up to and including the bound.
  public var tensorRange: MLTensorRange { .partialRangeThrough(self, stride: 1) }
}
