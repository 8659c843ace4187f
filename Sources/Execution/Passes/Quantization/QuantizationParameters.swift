import CoreMLKernels
import MIL

/// What a byte keeps of a number: multiples of the scale from `low` to `high`.
struct QuantizationParameters: Hashable {
  let scalar: ScalarType
  let scale: Double
  let low: Double
  let high: Double
  /// The byte that stands for 0.
  var zero: Int { Int((scalar.integerRange?.lowerBound ?? 0) - low) }

  /// Nil where the scale or the zero point is not one number that is known. `dequantize` does not say of which type its bytes are.
  init?(_ operation: Operation, _ constants: [String: Value], as known: ScalarType? = nil) {
    func number(_ parameter: String) -> Double? {
      guard let tensor = operation.value(parameter, constants)?.tensor, tensor.count == 1 else { return nil }
      return (try? tensor.doubles())?.first
    }
    guard let scalar = known ?? operation.outputs.first?.type.tensor?.scalar,
      let range = scalar == .int8 || scalar == .uint8 ? scalar.integerRange : nil,
      let scale = number("scale"), scale > 0, scale.isFinite,
      let zero = operation.inputs["zero_point"] == nil ? 0 : number("zero_point"), zero == zero.rounded()
    else { return nil }
    (self.scalar, self.scale) = (scalar, scale)
    (low, high) = (range.lowerBound - zero, range.upperBound - zero)
    // Else a zero would not stay one, which the blocks of channels count on.
    guard low <= 0, high >= 0 else { return nil }
  }
}
