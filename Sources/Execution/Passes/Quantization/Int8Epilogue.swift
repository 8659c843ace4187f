import CoreMLKernels
import MIL

/// What follows a value until it is bytes, which nobody sees before: an activation that bounds it, `quantize`, and functions of the bytes.
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

  /// Bytes that become floats only to become others.
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

/// What each byte has become, from the least to the greatest.
struct Int8Function {
  private var bytes: [Double]
  private var steps: QuantizationParameters
  var scalar: ScalarType { steps.scalar }

  /// Itself.
  init(_ steps: QuantizationParameters) {
    self.steps = steps
    bytes = (0..<256).map { steps.low + Double(steps.zero) + Double($0) }
  }

  /// The same bytes, which stand for other numbers.
  func standing(for steps: QuantizationParameters) -> Int8Function {
    var other = self
    other.steps = steps
    return other
  }

  /// The bytes of what a function gives of the numbers that these stand for.
  func then(_ function: FusedActivation, _ next: QuantizationParameters) -> Int8Function {
    var other = standing(for: next)
    other.bytes = bytes.map { byte in
      // `dequantize` and the function each round to fp32, which may decide on which side of a tie a quotient lies.
      let wide = Double(Float((byte - Double(steps.zero)) * steps.scale))
      let step = (Double(Float(function(wide))) / next.scale).rounded(.toNearestOrEven)
      return min(max(step.isNaN ? 0 : step, next.low), next.high) + Double(next.zero)
    }
    return other
  }

  func tensor() throws -> Tensor { try Tensor(scalar, shape: [256], doubles: bytes) }
}

extension FusedActivation {
  /// Whether it keeps an order and is the identity between two bounds.
  fileprivate var isBound: Bool { [.relu, .relu6, .clip].contains(name) }
}
