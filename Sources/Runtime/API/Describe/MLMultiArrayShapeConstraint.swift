import Foundation

/// What a multi-array's shape constraint says.
public enum MLMultiArrayShapeConstraintType: Int, Sendable {
  /// Any shape, or the one that the array's constraint names.
  case unspecified = 1
  /// One of a list of shapes.
  case enumerated = 2
  /// A range of sizes an axis.
  case range = 3
}

/// How the shape of an array may vary.
public struct MLMultiArrayShapeConstraint: Sendable {
  public let type: MLMultiArrayShapeConstraintType
  /// Sizes an axis may have, upper bound excluded; by axis, for a range.
  public let sizeRangeForDimension: [NSRange]
  public let enumeratedShapes: [[NSNumber]]

  func allows(_ shape: [Int], declared: [Int]) -> Bool {
    switch type {
    case .unspecified: declared.isEmpty || shape == declared
    case .enumerated: enumeratedShapes.contains { $0.map(\.intValue) == shape }
    case .range:
      shape.count == sizeRangeForDimension.count
        && zip(shape, sizeRangeForDimension).allSatisfy { $0 >= $1.location && $0 - $1.location < $1.length }
    }
  }
}
