import Foundation
import Testing

@testable import CoreMLRuntime

/// Error messages for arrays whose shapes a model does not accept.
@Suite struct ShapeConstraintTests {
  @Test func aSizeOutsideOfARange() {
    let ranges = [
      NSRange(location: 3, length: 3), NSRange(location: 2, length: .max - 2), NSRange(location: 0, length: 0),
    ]
    let constraint = MLMultiArrayShapeConstraint(type: .range, ranges: ranges, enumeratedShapes: [])
    func refusal(_ shape: [Int]) -> String { constraint.refusal(of: shape, declared: [3, 2, 0]) }
    #expect(
      refusal([99, 2, 1]) == "has the shape [99, 2, 1]: Size (99) of dimension (0) is not in allowed range (3..5)")
    #expect(refusal([5, 1, 1]) == "has the shape [5, 1, 1]: Size (1) of dimension (1) is not in allowed range (2..)")
    #expect(refusal([99]) == "has the shape [99], expected [3..5, 2.., 0..-1]")
  }

  @Test func aShapeThatIsNotEnumerated() {
    let shapes = (1...10).map { [NSNumber(value: $0), 2] }
    let few = MLMultiArrayShapeConstraint(type: .enumerated, ranges: [], enumeratedShapes: Array(shapes.prefix(2)))
    let said =
      "has the shape [3, 2]: MultiArray Shape (3 x 2) was not in enumerated set of allowed shapes [1, 2], [2, 2]"
    #expect(few.refusal(of: [3, 2], declared: [1, 2]) == said)
    let many = MLMultiArrayShapeConstraint(type: .enumerated, ranges: [], enumeratedShapes: shapes)
    #expect(many.refusal(of: [11, 2], declared: [1, 2]).hasSuffix("[7, 2], [8, 2] and 2 more"))
  }

  @Test func theOnlyShape() {
    let constraint = MLMultiArrayShapeConstraint(type: .unspecified, ranges: [], enumeratedShapes: [])
    #expect(
      constraint.refusal(of: [2, 3], declared: [5])
        == "has the shape [2, 3]: MultiArray shape (2 x 3) does not match the shape (5) specified in the model description"
    )
  }
}
