/// Operations on int8 and uint8 values, which device passes create from operations between `dequantize` and `quantize`.
/// They do not occur in model files.
///
/// An operand `x` represents the values (x - x_zero_point) x_scale. The result is activation(product + bias + add). If
/// `scale` is given, the result is quantized with `scale`, `zero_point` and `output_dtype`. Scales and zero points are
/// per tensor. `table` then maps each 8-bit value to another one; its 256 entries are in the order from the smallest to
/// the largest input.
enum QuantizedOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition(
      "quantized.conv",
      Convolution.parameters + [.required("x_scale"), .optional("x_zero_point"), .optional("add")] + resultParameters,
      work: { Convolution.work($0, $1) }
    ) { call in [.tensor(try Quantized.requireFused(call, Convolution.outputType(call)))] },
    OperationDefinition(
      "quantized.add",
      [
        .required("x"), .required("x_scale"), .optional("x_zero_point"), .required("y"), .required("y_scale"),
        .optional("y_zero_point"),
      ] + resultParameters
    ) { call in
      let (x, y) = (try call.tensor("x"), try call.tensor("y"))
      guard x.agrees(with: y) else {
        throw call.error(.invalidShape, "'x' is \(x) and 'y' \(y): a sum of bytes is of two that are alike")
      }
      return [.tensor(try Quantized.requireFused(call, x))]
    },
    // A table lookup for each 8-bit value.
    OperationDefinition("quantized.lookup", [.required("x"), .required("table")]) { call in
      let x = try call.tensor("x")
      try Quantized.requireBytes(call, "x")
      return [.tensor(x.with(scalar: try Quantized.table(call)))]
    },
  ]

  private static let resultParameters: [Parameter] = [
    .optional("activation"), .optional("alpha"), .optional("beta"), .optional("scale"), .optional("zero_point"),
    .optional("output_dtype"), .optional("table"),
  ]
}

/// The arguments of the 8-bit operations, for their type rules, their references and their kernels.
package enum Quantized {
  /// Quantization parameters: a stored value represents (value - zero) scale.
  package struct Scale: Sendable, Hashable {
    package let scale: Double
    package let zero: Double

    /// The parameters of an operand, or of the result if `name` is empty.
    package init(_ call: Invocation, of name: String) throws {
      let prefix = name.isEmpty ? "" : name + "_"
      scale = try call.double(prefix + "scale", default: 1)
      zero = try call.double(prefix + "zero_point", default: 0)
      guard scale > 0, scale.isFinite, zero == zero.rounded() else {
        throw call.error(
          .invalidArgument, "'\(prefix)scale' is \(scale) and '\(prefix)zero_point' \(zero), no scale of bytes")
      }
    }
  }

  /// The output type, given a `type` with the right shape.
  static func requireFused(_ call: Invocation, _ type: TensorType) throws -> TensorType {
    for name in ["x", "y"] where call.has(name) {
      try requireBytes(call, name)
      _ = try Scale(call, of: name)
    }
    _ = try FusedActivation(call)
    let wide = type.with(scalar: .float32)
    if call.has("add"), try !call.tensor("add").agrees(with: wide) {
      throw call.error(.invalidShape, "'add' is \(try call.tensor("add")), the result is \(wide)")
    }
    guard call.has("scale") else { return wide }
    _ = try Scale(call, of: "")
    let scalar = try call.scalarType("output_dtype")
    guard scalar == .int8 || scalar == .uint8 else {
      throw call.error(.invalidType, "'output_dtype' is \(scalar.rawValue), not bytes")
    }
    return type.with(scalar: call.has("table") ? try table(call) : scalar)
  }

  static func requireBytes(_ call: Invocation, _ name: String) throws {
    let operand = try call.tensor(name)
    guard operand.scalar == .int8 || operand.scalar == .uint8 else {
      throw call.error(.invalidType, "'\(name)' is \(operand), not bytes")
    }
  }

  /// The element type of the table.
  static func table(_ call: Invocation) throws -> ScalarType {
    try requireBytes(call, "table")
    guard try call.sizes("table") == [256] else {
      throw call.error(.invalidShape, "'table' is \(try call.tensor("table")), not 256 bytes")
    }
    return try call.tensor("table").scalar
  }
}
