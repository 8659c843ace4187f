import Foundation

/// How the shape of an array may vary.
// Sendable: immutable
public final class MLMultiArrayShapeConstraint: @unchecked Sendable {
  public let type: MLMultiArrayShapeConstraintType
  /// `NSRange`s of the sizes that each axis may have, upper bound excluded; for a range.
  public let sizeRangeForDimension: [NSValue]
  /// For a list of shapes.
  public let enumeratedShapes: [[NSNumber]]
  /// What `sizeRangeForDimension` wraps.
  let ranges: [NSRange]

  init(type: MLMultiArrayShapeConstraintType, ranges: [NSRange], enumeratedShapes: [[NSNumber]]) {
    self.type = type
    self.ranges = ranges
    self.enumeratedShapes = enumeratedShapes
    sizeRangeForDimension = ranges.map { NSValue(range: $0) }
  }

  package func allows(_ shape: [Int], declared: [Int]) -> Bool {
    switch type {
    case .unspecified: declared.isEmpty || shape == declared
    case .enumerated: enumeratedShapes.contains { $0.map(\.intValue) == shape }
    case .range:
      shape.count == ranges.count
        && zip(shape, ranges).allSatisfy { $0 >= $1.location && $0 - $1.location < $1.length }
    }
  }
}
