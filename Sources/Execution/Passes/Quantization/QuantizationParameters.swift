import CoreMLKernels
import MIL

/// Parameters of 8-bit quantization. The representable values are integer multiples of the scale, from `low` to `high`.
struct QuantizationParameters: Hashable {
  let scalar: ScalarType
  let scale: Double
  let low: Double
  let high: Double
  /// The zero point: the 8-bit value that represents 0.
  var zero: Int { Int((scalar.integerRange?.lowerBound ?? 0) - low) }

  /// Nil unless the scale and the zero point are known scalars. `dequantize` does not state the type of its input, so
  /// `known` must.
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
    // 0 must be representable, since the padding of the NCHWc layout relies on it.
    guard low <= 0, high >= 0 else { return nil }
  }
}
