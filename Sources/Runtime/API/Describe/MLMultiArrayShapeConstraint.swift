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

  /// Why a shape is not allowed, in the words of Core ML that its users look for.
  package func refusal(of shape: [Int], declared: [Int]) -> String {
    let found = "has the shape \(shape)"
    switch type {
    case .unspecified: return "\(found), expected \(declared)"
    case .enumerated:
      let most = 8
      let named = enumeratedShapes.prefix(most).map { "\($0.map(\.intValue))" }
      let more = enumeratedShapes.count > most ? " and \(enumeratedShapes.count - most) more" : ""
      let sizes = shape.map(String.init).joined(separator: " x ")
      return "\(found): MultiArray Shape (\(sizes)) was not in enumerated set of allowed shapes "
        + named.joined(separator: ", ") + more
    case .range:
      let bounds = ranges.map { $0.upperBound == .max ? "\($0.location).." : "\($0.location)..\($0.upperBound - 1)" }
      guard shape.count == ranges.count,
        let axis = shape.indices.first(where: { !NSLocationInRange(shape[$0], ranges[$0]) })
      else { return "\(found), expected [\(bounds.joined(separator: ", "))]" }
      return "\(found): Size (\(shape[axis])) of dimension (\(axis)) is not in allowed range (\(bounds[axis]))"
    }
  }
}
