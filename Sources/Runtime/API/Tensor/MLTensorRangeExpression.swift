/// What a subscript of a tensor says of one axis.
public protocol MLTensorRangeExpression: Sendable {
  /// The meaning for a tensor's axis.
  var tensorRange: MLTensorRange { get }
}

/// The meanings that a subscript can have for an axis.
public struct MLTensorRange: MLTensorRangeExpression, Sendable, Equatable {
  enum Meaning: Equatable, Sendable {
    case index(Int)
    /// Nil for an end that is the axis's.
    case range(Int?, Int?, stride: Int)
    case newAxis
    case squeezeAxis
    /// As many whole axes as the others leave.
    case rest
  }

  let meaning: Meaning

  /// Itself.
  public var tensorRange: MLTensorRange { self }
}

extension MLTensorRangeExpression where Self == MLTensorRange {
  /// A new axis of size 1.
  public static var newAxis: MLTensorRange { MLTensorRange(meaning: .newAxis) }
  /// All axes that the others leave, as `...`; `nil` is one whole axis.
  public static var fillAll: MLTensorRange { MLTensorRange(meaning: .rest) }
  /// The axis is gone; it has size 1.
  public static var squeezeAxis: MLTensorRange { MLTensorRange(meaning: .squeezeAxis) }
  /// The part at an index of the axis, which is gone; a negative index counts from the end.
  public static func index(_ index: Int) -> MLTensorRange { MLTensorRange(meaning: .index(index)) }

  /// Every `stride`th part within a range.
  public static func range(_ range: Range<Int>, stride: Int = 1) -> MLTensorRange {
    MLTensorRange(meaning: .range(range.lowerBound, range.upperBound, stride: stride))
  }

  /// Every `stride`th part within a range.
  public static func closedRange(_ range: ClosedRange<Int>, stride: Int = 1) -> MLTensorRange {
    MLTensorRange(meaning: .range(range.lowerBound, range.upperBound + 1, stride: stride))
  }

  /// Every `stride`th part from an index on.
  public static func partialRangeFrom(_ range: PartialRangeFrom<Int>, stride: Int = 1) -> MLTensorRange {
    MLTensorRange(meaning: .range(range.lowerBound, nil, stride: stride))
  }

  /// Every `stride`th part before an index.
  public static func partialRangeUpTo(_ range: PartialRangeUpTo<Int>, stride: Int = 1) -> MLTensorRange {
    MLTensorRange(meaning: .range(nil, range.upperBound, stride: stride))
  }

  /// Every `stride`th part up to an index.
  public static func partialRangeUpTo(_ range: PartialRangeThrough<Int>, stride: Int = 1) -> MLTensorRange {
    MLTensorRange(meaning: .range(nil, range.upperBound + 1, stride: stride))
  }

  /// Every `stride`th part up to an index.
  public static func partialRangeThrough(_ range: PartialRangeThrough<Int>, stride: Int = 1) -> MLTensorRange {
    .partialRangeUpTo(range, stride: stride)
  }
}

extension Int: MLTensorRangeExpression {
  /// The part at the index; the axis is gone.
  public var tensorRange: MLTensorRange { .index(self) }
}

extension Range: MLTensorRangeExpression where Bound == Int {
  /// The parts within the range.
  public var tensorRange: MLTensorRange { .range(self, stride: 1) }
}

extension ClosedRange: MLTensorRangeExpression where Bound == Int {
  /// The parts within the range.
  public var tensorRange: MLTensorRange { .closedRange(self, stride: 1) }
}

extension PartialRangeFrom: MLTensorRangeExpression where Bound == Int {
  /// The parts from the index on.
  public var tensorRange: MLTensorRange { .partialRangeFrom(self, stride: 1) }
}

extension PartialRangeUpTo: MLTensorRangeExpression where Bound == Int {
  /// The parts before the index.
  public var tensorRange: MLTensorRange { .partialRangeUpTo(self, stride: 1) }
}

extension PartialRangeThrough: MLTensorRangeExpression where Bound == Int {
  /// The parts up to the index.
  public var tensorRange: MLTensorRange { .partialRangeThrough(self, stride: 1) }
}
