import MIL

enum QuantizedReference {
  static let all: [Reference] = [
    Reference.numeric("quantized.conv") { call in
      try finish(call, ConvolutionReference.convolution(call, x: numbers(call, "x"), weight: call.doubles("weight")))
    },
    Reference.numeric("quantized.add") { call in
      try finish(call, zip(numbers(call, "x"), numbers(call, "y")).map { $0 + $1 })
    },
    Reference.numeric("quantized.lookup") { call in
      let table = try call.doubles("table")
      let least = try call.tensor("x").scalar.integerRange?.lowerBound ?? 0
      return try call.doubles("x").map { table[Int($0 - least)] }
    },
  ]

  /// The dequantized values of an operand.
  private static func numbers(_ call: ReferenceCall, _ name: String) throws -> [Double] {
    let known = try Quantized.Scale(call.invocation, of: name)
    return try call.doubles(name).map { ($0 - known.zero) * known.scale }
  }

  /// Applies the residual input and the activation, and quantizes if the operation has a scale.
  private static func finish(_ call: ReferenceCall, _ values: [Double]) throws -> [Double] {
    let activation = try FusedActivation(call.invocation)
    let sums = try call.has("add") ? zip(values, call.doubles("add")).map { $0 + $1 } : values
    let results = sums.map { activation($0) }
    guard call.has("scale") else { return results }
    let known = try Quantized.Scale(call.invocation, of: "")
    let range = try call.invocation.scalarType("output_dtype").integerRange ?? -128...127
    let bytes = results.map { number in
      let step = (number / known.scale).rounded(.toNearestOrEven)
      return min(max((step.isNaN ? 0 : step) + known.zero, range.lowerBound), range.upperBound)
    }
    guard call.has("table") else { return bytes }
    let table = try call.doubles("table")
    return bytes.map { table[Int($0 - range.lowerBound)] }
  }
}
