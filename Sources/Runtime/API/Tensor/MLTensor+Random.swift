import Foundation
import MIL

extension MLTensor {
  /// Numbers of a normal distribution; the same for the same seed.
  public init<Scalar: MLTensorScalar & BinaryFloatingPoint>(
    randomNormal shape: [Int], mean: Scalar = 0, standardDeviation: Scalar = 1, seed: UInt64? = nil,
    scalarType: Scalar.Type = Scalar.self
  ) {
    var source = SeededNumbers(seed)
    let (middle, width) = (Double(mean), Double(standardDeviation))
    self.init(random: shape, scalarType) { middle + width * source.normal() }
  }

  /// Numbers of a normal distribution, of type `Float`; the same for the same seed.
  public init(randomNormal shape: [Int], mean: Float = 0, standardDeviation: Float = 1, seed: UInt64? = nil) {
    self.init(
      randomNormal: shape, mean: mean, standardDeviation: standardDeviation, seed: seed, scalarType: Float.self)
  }

  /// Numbers spread evenly over a range; the same for the same seed.
  ///
  /// - Precondition: the range is not empty.
  public init<Scalar: MLTensorScalar & BinaryFloatingPoint>(
    randomUniform shape: [Int], in bounds: Range<Scalar> = 0..<1, seed: UInt64? = nil,
    scalarType: Scalar.Type = Scalar.self
  ) {
    precondition(!bounds.isEmpty, "no number is in \(bounds)")
    self.init(uniform: shape, Double(bounds.lowerBound), Double(bounds.upperBound), seed, scalarType)
  }

  /// Numbers spread evenly over a range, of type `Float`; the same for the same seed.
  ///
  /// - Precondition: the range is not empty.
  public init(randomUniform shape: [Int], in bounds: Range<Float> = 0..<1, seed: UInt64? = nil) {
    self.init(randomUniform: shape, in: bounds, seed: seed, scalarType: Float.self)
  }

  /// Numbers spread evenly over a range with its ends; the same for the same seed.
  public init<Scalar: MLTensorScalar & BinaryFloatingPoint>(
    randomUniform shape: [Int], in bounds: ClosedRange<Scalar>, seed: UInt64? = nil,
    scalarType: Scalar.Type = Scalar.self
  ) {
    self.init(uniform: shape, Double(bounds.lowerBound), Double(bounds.upperBound), seed, scalarType)
  }

  /// Integers of a range with its ends, each as likely as another; the same for the same seed.
  public init<Scalar: MLTensorScalar & BinaryInteger>(
    randomUniform shape: [Int], in bounds: ClosedRange<Scalar> = 0...1, seed: UInt64? = nil,
    scalarType: Scalar.Type = Scalar.self
  ) {
    var source = SeededNumbers(seed)
    let low = Double(bounds.lowerBound)
    let count = Double(bounds.upperBound) - low + 1
    self.init(random: shape, scalarType) { low + (count * source.uniform()).rounded(.down) }
  }

  private init(
    uniform shape: [Int], _ low: Double, _ high: Double, _ seed: UInt64?, _ type: any MLTensorScalar.Type
  ) {
    var source = SeededNumbers(seed)
    self.init(random: shape, type) { low + (high - low) * source.uniform() }
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
