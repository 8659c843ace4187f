import CoreMLSpec
import MIL

extension FeatureProgram {
  /// y = scaleValue (x + shiftValue). A single value applies to every element. The defaults are 1 and 0 (Scaler.proto).
  mutating func scaler(_ message: Specification.Scaler) throws {
    var value = try double(onlyInput())
    let shift = try parameter(message.shiftValue, "shiftValue", for: value)
    let scale = try parameter(message.scaleValue, "scaleValue", for: value)
    if let shift { value = try emit("add", ["x": .name(value), "y": shift]) }
    if let scale { value = try emit("mul", ["x": .name(value), "y": scale]) }
    if shift == nil, scale == nil { value = try emit("identity", ["x": .name(value)]) }
    try setOnly(value)
  }

  /// Returns the values in the shape of the value that they apply to.
  private func parameter(_ values: [Double], _ name: String, for value: String) throws -> Binding? {
    if values.isEmpty { return nil }
    if values.count == 1 { return .double(values[0]) }
    let type = try builder.tensorType(of: value)
    guard let shape = type.concreteShape ?? (type.rank == 1 ? [values.count] : nil),
      TensorType.elementCount(shape) == values.count
    else { throw error("'\(name)' has \(values.count) values for \(type)") }
    return .tensor(Tensor(float64: values, shape: shape))
  }
}
