import Foundation
import MIL

extension MLTensor {
  /// Numbers of a normal distribution; the same for the same seed.
  ///
  /// - Precondition: the type is one of floating-point numbers.
  public init(
    randomNormal shape: [Int], mean: Float = 0, standardDeviation: Float = 1, seed: UInt64? = nil,
    scalarType: any (MLTensorScalar & BinaryFloatingPoint).Type = Float.self
  ) {
    var source = SeededNumbers(seed)
    self.init(random: shape, scalarType) { Double(mean) + Double(standardDeviation) * source.normal() }
  }

  /// Numbers spread evenly over a range; the same for the same seed.
  ///
  /// - Precondition: the range is not empty, and the type is one of floating-point numbers.
  public init(
    randomUniform shape: [Int], in range: Range<Float> = 0..<1, seed: UInt64? = nil,
    scalarType: any (MLTensorScalar & BinaryFloatingPoint).Type = Float.self
  ) {
    precondition(!range.isEmpty, "no number is in \(range)")
    var source = SeededNumbers(seed)
    let (low, high) = (Double(range.lowerBound), Double(range.upperBound))
    self.init(random: shape, scalarType) { low + (high - low) * source.uniform() }
  }

  /// Numbers spread evenly over a range with its ends; the same for the same seed.
  public init(
    randomUniform shape: [Int], in range: ClosedRange<Float>, seed: UInt64? = nil,
    scalarType: any (MLTensorScalar & BinaryFloatingPoint).Type = Float.self
  ) {
    var source = SeededNumbers(seed)
    let (low, high) = (Double(range.lowerBound), Double(range.upperBound))
    self.init(random: shape, scalarType) { low + (high - low) * source.uniform() }
  }

  private init(random shape: [Int], _ type: any MLTensorScalar.Type, _ next: () -> Double) {
    let scalar = TensorScalars.scalar(type)
    let count = ShapedLayout.count(shape) ?? 0
    do {
      self.init(try Tensor(scalar, shape: shape, doubles: (0..<count).map { _ in next() }))
    } catch { preconditionFailure("\(error)") }
  }
}

/// Random numbers that a seed determines (SplitMix64).
private struct SeededNumbers {
  private var state: UInt64

  init(_ seed: UInt64?) { state = seed ?? .random(in: 0 ... .max) }

  /// Box and Muller's; the first of two uniform numbers is never 1.
  mutating func normal() -> Double {
    let radius = (-2 * log(1 - uniform())).squareRoot()
    return radius * cos(2 * .pi * uniform())
  }

  /// At least 0 and less than 1.
  mutating func uniform() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((word ^ (word >> 31)) >> 11) * 0x1p-53
  }
}
