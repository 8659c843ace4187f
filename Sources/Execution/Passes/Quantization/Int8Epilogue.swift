import CoreMLKernels
import MIL

/// The operations that turn a product's result into int8: a clamping activation, `quantize`, and functions of the int8
/// values. No other operation reads the intermediate values.
struct Int8Epilogue {
  private(set) var output: NamedType
  private(set) var arguments: [String: [Binding]]
  private(set) var parts: [Int] = []

  init?(of name: String, _ uses: Uses, _ operations: [Operation], _ constants: [String: Value]) {
    var (name, activation): (String, FusedActivation?) = (name, nil)
    guard var next = uses.onlyReader(of: name) else { return nil }
    if let bound = FusedActivation(mil: operations[next], constants), bound.isBound,
      operations[next].binding("x")?.name == name, operations[next].outputs.count == 1,
      let after = uses.onlyReader(of: operations[next].outputs[0].name)
    {
      parts.append(next)
      (name, activation, next) = (operations[next].outputs[0].name, bound, after)
    }
    guard operations[next].type == "quantize", operations[next].binding("input")?.name == name,
      let steps = QuantizationParameters(operations[next], constants)
    else { return nil }
    parts.append(next)
    output = operations[next].outputs[0]
    arguments = [
      "scale": [.float(Float(steps.scale))], "zero_point": [.int(steps.zero)],
      "output_dtype": [.string(steps.scalar.rawValue)],
    ]
    if let activation {
      arguments["activation"] = [.string(activation.name.rawValue)]
      arguments["alpha"] = [.float(Float(activation.alpha))]
      arguments["beta"] = [.float(Float(activation.beta))]
    }
    takeFunctions(Int8Function(steps), uses, operations, constants)
  }

  /// Absorbs sequences of `dequantize`, activation and `quantize` as a table lookup.
  private mutating func takeFunctions(
    _ identity: Int8Function, _ uses: Uses, _ operations: [Operation], _ constants: [String: Value]
  ) {
    var function = identity
    while let wide = uses.onlyReader(of: output.name), operations[wide].type == "dequantize",
      let from = QuantizationParameters(operations[wide], constants, as: function.scalar),
      var next = operations[wide].outputs.first.flatMap({ uses.onlyReader(of: $0.name) })
    {
      var taken = [wide]
      var (name, activation) = (operations[wide].outputs[0].name, FusedActivation(.linear, alpha: 1))
      if let known = FusedActivation(mil: operations[next], constants), operations[next].binding("x")?.name == name,
        let output = operations[next].outputs.first, let after = uses.onlyReader(of: output.name)
      {
        taken.append(next)
        (name, activation, next) = (output.name, known, after)
      }
      guard operations[next].type == "quantize", operations[next].binding("input")?.name == name,
        let to = QuantizationParameters(operations[next], constants)
      else { break }
      function = function.standing(for: from).then(activation, to)
      guard let table = try? function.tensor() else { break }
      arguments["table"] = [.tensor(table)]
      parts += taken + [next]
      output = operations[next].outputs[0]
    }
  }
}

/// A function of 8-bit values as a table of its results, from the smallest to the largest input.
struct Int8Function {
  private var bytes: [Double]
  private var steps: QuantizationParameters
  var scalar: ScalarType { steps.scalar }

  /// The identity.
  init(_ steps: QuantizationParameters) {
    self.steps = steps
    bytes = (0..<256).map { steps.low + Double(steps.zero) + Double($0) }
  }

  /// The same table, with its results interpreted with other quantization parameters.
  func standing(for steps: QuantizationParameters) -> Int8Function {
    var other = self
    other.steps = steps
    return other
  }

  /// The table after `dequantize` of its results, `function`, and `quantize` with `next`.
  func then(_ function: FusedActivation, _ next: QuantizationParameters) -> Int8Function {
    var other = standing(for: next)
    other.bytes = bytes.map { byte in
      // `dequantize` and the function each round to fp32. This rounding may decide on which side of a tie a quotient
      // is.
      let wide = Double(Float((byte - Double(steps.zero)) * steps.scale))
      let step = (Double(Float(function(wide))) / next.scale).rounded(.toNearestOrEven)
      return min(max(step.isNaN ? 0 : step, next.low), next.high) + Double(next.zero)
    }
    return other
  }

  func tensor() throws -> Tensor { try Tensor(scalar, shape: [256], doubles: bytes) }
}

extension FusedActivation {
  /// Whether it is monotonic, and the identity between two bounds.
  fileprivate var isBound: Bool { [.relu, .relu6, .clip].contains(name) }
}
