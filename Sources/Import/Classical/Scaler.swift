import CoreMLSpec
import MIL

struct ScalerImport {
  let program: FeatureProgram

  /// y = scaleValue (x + shiftValue). A single value applies to every element. The defaults are 1 and 0 (Scaler.proto).
  func add(_ message: Specification.Scaler) throws {
    var value = try program.double(program.onlyInput())
    let shift = try parameter(message.shiftValue, "shiftValue", for: value)
    let scale = try parameter(message.scaleValue, "scaleValue", for: value)
    if let shift { value = try program.emit("add", ["x": .name(value), "y": shift]) }
    if let scale { value = try program.emit("mul", ["x": .name(value), "y": scale]) }
    if shift == nil, scale == nil { value = try program.emit("identity", ["x": .name(value)]) }
    try program.setOnly(value)
  }

  /// Returns the values in the shape of the value that they apply to.
  private func parameter(_ values: [Double], _ name: String, for value: String) throws -> Binding? {
    if values.isEmpty { return nil }
    if values.count == 1 { return .double(values[0]) }
    let type = try program.builder.tensorType(of: value)
    guard let shape = type.concreteShape ?? (type.rank == 1 ? [values.count] : nil),
      TensorType.elementCount(shape) == values.count
    else { throw program.error("'\(name)' has \(values.count) values for \(type)") }
    return .tensor(Tensor(float64: values, shape: shape))
  }
}
