import MIL
import Testing

@testable import CoreMLRuntime

/// Elements of arrays become elements of inputs (docs/internals/decisions.md).
@Suite struct CastingTests {
  /// Fractions and NaN in the array for an int32 input.
  @Test(arguments: [ScalarType.float16, .float32, .float64]) func fractionsOfIntegers(_ scalar: ScalarType) throws {
    let numbers = [1.7, -2.7, 0.5, -0.5, .nan, .infinity, -.infinity]
    let array = try Tensor(scalar, shape: [7], doubles: numbers)
    let expected = [1, -2, 0, 0, 0, Double(Int32.max), Double(Int32.min)]
    #expect(try Casting.converted(array, to: .int32).doubles() == expected)
    #expect(try array.converted(to: .int32).doubles() == expected)
  }
}
