import Foundation
import MIL

extension MLTensor {
  /// Creates a tensor of normally distributed numbers. Equal seeds give equal numbers.
  public init<Scalar: MLTensorScalar & BinaryFloatingPoint>(
    randomNormal shape: [Int], mean: Scalar = 0, standardDeviation: Scalar = 1, seed: UInt64? = nil,
    scalarType: Scalar.Type = Scalar.self
  ) {
    var source = SeededNumbers(seed)
    let (middle, width) = (Double(mean), Double(standardDeviation))
    self.init(random: shape, scalarType) { middle + width * source.normal() }
  }

  /// Creates a tensor of normally distributed `Float` numbers. Equal seeds give equal numbers.
  public init(randomNormal shape: [Int], mean: Float = 0, standardDeviation: Float = 1, seed: UInt64? = nil) {
    self.init(
      randomNormal: shape, mean: mean, standardDeviation: standardDeviation, seed: seed, scalarType: Float.self)
  }

  /// Creates a tensor of uniformly distributed numbers in a half-open range. Equal seeds give equal numbers.
  ///
  /// - Precondition: the range is not empty.
  public init<Scalar: MLTensorScalar & BinaryFloatingPoint>(
    randomUniform shape: [Int], in bounds: Range<Scalar> = 0..<1, seed: UInt64? = nil,
    scalarType: Scalar.Type = Scalar.self
  ) {
    precondition(!bounds.isEmpty, "no number is in \(bounds)")
    self.init(uniform: shape, Double(bounds.lowerBound), Double(bounds.upperBound), seed, scalarType)
  }

  /// Creates a tensor of uniformly distributed `Float` numbers in a half-open range. Equal seeds give equal numbers.
  ///
  /// - Precondition: the range is not empty.
  public init(randomUniform shape: [Int], in bounds: Range<Float> = 0..<1, seed: UInt64? = nil) {
    self.init(randomUniform: shape, in: bounds, seed: seed, scalarType: Float.self)
  }

  /// Creates a tensor of uniformly distributed numbers in a closed range. Equal seeds give equal numbers.
  public init<Scalar: MLTensorScalar & BinaryFloatingPoint>(
    randomUniform shape: [Int], in bounds: ClosedRange<Scalar>, seed: UInt64? = nil,
    scalarType: Scalar.Type = Scalar.self
  ) {
    self.init(uniform: shape, Double(bounds.lowerBound), Double(bounds.upperBound), seed, scalarType)
  }

  /// Creates a tensor of uniformly distributed integers in a closed range. Equal seeds give equal numbers.
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

/// A seeded pseudo-random generator (SplitMix64).
private struct SeededNumbers {
  private var state: UInt64

  init(_ seed: UInt64?) { state = seed ?? .random(in: 0 ... .max) }

  /// A normally distributed number (Box-Muller). The logarithm's argument is never 0, because `uniform()` is below 1.
  mutating func normal() -> Double {
    let radius = (-2 * log(1 - uniform())).squareRoot()
    return radius * cos(2 * .pi * uniform())
  }

  /// A uniformly distributed number, at least 0 and less than 1.
  mutating func uniform() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((word ^ (word >> 31)) >> 11) * 0x1p-53
  }
}
