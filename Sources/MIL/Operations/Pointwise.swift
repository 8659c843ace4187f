/// A sequence of elementwise functions, as computed by `fused.pointwise`. As text, a step is a MIL operation with its
/// attributes and arguments. `$n` is tensor n, and `%n` is the result of step n. The last step computes the result:
///
///     sub $0 $1; clip alpha=-1.0 beta=1.0 %0; mul %1 $2
package struct PointwiseProgram: Sendable, Hashable {
  package enum Argument: Sendable, Hashable {
    case value(Int)
    case step(Int)
  }

  package enum Attribute: Sendable, Hashable {
    case number(Double)
    case word(String)
  }

  package struct Step: Sendable, Hashable {
    package var operation: String
    package var attributes: [String: Attribute]
    /// `x`, and `y` for a binary function.
    package var arguments: [Argument]

    package init(_ operation: String, _ attributes: [String: Attribute] = [:], _ arguments: [Argument]) {
      (self.operation, self.attributes, self.arguments) = (operation, attributes, arguments)
    }
  }

  package private(set) var steps: [Step]

  /// Unary functions, with the argument `x`.
  package static let unary: Set<String> = [
    "abs", "acos", "asin", "atan", "atanh", "ceil", "clamped_relu", "clip", "cos", "cosh", "elu", "erf", "exp", "exp2",
    "floor", "fused.activation", "gelu", "inverse", "leaky_relu", "linear_activation", "log", "relu", "relu6", "round",
    "rsqrt", "scaled_tanh", "sigmoid", "sigmoid_hard", "sign", "silu", "sin", "sinh", "softplus", "softsign", "sqrt",
    "square", "tan", "tanh", "threshold", "thresholded_relu",
  ]
  /// Binary functions, with the arguments `x` and `y`.
  package static let binary: Set<String> = [
    "add", "floor_div", "maximum", "minimum", "mod", "mul", "pow", "real_div", "sub",
  ]
  /// The maximum number of steps.
  package static let most = 32

  package init(_ steps: [Step]) { self.steps = steps }

  /// Parses and checks the program of a `fused.pointwise`. Each step must have the right number of arguments, and read
  /// only earlier steps.
  package init(_ call: Invocation) throws {
    let text = try call.string("program")
    let values = call.count("values")
    steps = []
    for part in text.split(separator: ";") {
      guard let step = Step(part), steps.count < Self.most else {
        throw call.error(
          .invalidArgument, "'\(part)' cannot be parsed, or the program has more than \(Self.most) steps")
      }
      guard step.arguments.count == (Self.unary.contains(step.operation) ? 1 : 2),
        Self.unary.contains(step.operation) || Self.binary.contains(step.operation)
      else { throw call.error(.invalidArgument, "'\(part)' has an unknown function or the wrong number of arguments") }
      for argument in step.arguments {
        switch argument {
        case .value(let number) where number < values: break
        case .step(let number) where number < steps.count: break
        default: throw call.error(.invalidArgument, "'\(part)' has an argument that is not there")
        }
      }
      steps.append(step)
    }
    guard !steps.isEmpty else { throw call.error(.invalidArgument, "the program has no steps") }
  }

  package var text: String { steps.map(\.text).joined(separator: "; ") }

  /// A step as an operation, with the types and known values of its arguments.
  package func invocation(
    of step: Step, _ call: Invocation, _ arguments: [(type: ValueType, value: Value?)]
  ) -> Invocation {
    var inputs: [String: [Binding]] = step.attributes.mapValues { attribute in
      switch attribute {
      case .number(let number): [.float(Float(number))]
      case .word(let word): [.string(word)]
      }
    }
    var (types, values): ([String: [ValueType]], [String: [Value?]]) = ([:], [:])
    for (name, bindings) in inputs {
      guard case .literal(let value)? = bindings.first else { continue }
      (types[name], values[name]) = ([value.type], [value])
    }
    for (name, argument) in zip(["x", "y"], arguments) {
      (types[name], values[name]) = ([argument.type], [argument.value])
      inputs[name] = [.name(name)]
    }
    let operation = Operation(step.operation, inputs: inputs, outputs: call.operation.outputs)
    return Invocation(operation: operation, inputTypes: types, values: values)
  }

  /// The types of all steps. fp16 operands count as fp32, to which kernels convert them. All results must have the same
  /// shape, since a step's result is not broadcast.
  func types(_ call: Invocation) throws -> [TensorType] {
    var found: [TensorType] = []
    for step in steps {
      let arguments = try step.arguments.map { argument -> (type: ValueType, value: Value?) in
        switch argument {
        case .value(let number):
          let type = try call.tensor("values", number)
          return (.tensor(type.scalar == .float16 ? type.with(scalar: .float32) : type), nil)
        case .step(let number): return (.tensor(found[number]), nil)
        }
      }
      let own = invocation(of: step, call, arguments)
      guard let type = try Operations.definition(of: own.operation).outputTypes(own).first?.tensor else {
        throw call.error(.invalidType, "'\(step.text)' gives no tensor")
      }
      found.append(type)
    }
    guard let last = found.last, found.allSatisfy({ $0.agrees(with: last) }) else {
      throw call.error(.invalidShape, "the steps' results are of \(found), expected them alike")
    }
    return found
  }
}

extension PointwiseProgram.Step {
  fileprivate init?(_ text: Substring) {
    let words = text.split(separator: " ")
    guard let name = words.first else { return nil }
    self.init(String(name), [:], [])
    for word in words.dropFirst() {
      if let number = word.dropFirst().isEmpty ? nil : Int(word.dropFirst()), number >= 0, word.first == "$" {
        arguments.append(.value(number))
      } else if let number = Int(word.dropFirst()), number >= 0, word.first == "%" {
        arguments.append(.step(number))
      } else {
        let pair = word.split(separator: "=", maxSplits: 1)
        guard pair.count == 2, arguments.isEmpty else { return nil }
        attributes[String(pair[0])] = Double(pair[1]).map { .number($0) } ?? .word(String(pair[1]))
      }
    }
  }

  fileprivate var text: String {
    let said = attributes.sorted { $0.key < $1.key }.map { name, attribute in
      switch attribute {
      case .number(let number): "\(name)=\(number)"
      case .word(let word): "\(name)=\(word)"
      }
    }
    let taken = arguments.map { argument in
      switch argument {
      case .value(let number): "$\(number)"
      case .step(let number): "%\(number)"
      }
    }
    return ([operation] + said + taken).joined(separator: " ")
  }
}

enum PointwiseOperations {
  // Applies `program` (`PointwiseProgram`) to the elements of `values`, which are broadcast.
  static let all: [OperationDefinition] = [
    OperationDefinition(
      "fused.pointwise", [.variadic("values"), .required("program")],
      work: { call, types in
        let steps = (try? PointwiseProgram(call).steps.count) ?? 1
        return Work(flops: Double(steps) * Double(types.first?.tensor?.elementCount ?? 0))
      }
    ) { call in
      let program = try PointwiseProgram(call)
      return try program.types(call).suffix(1).map { .tensor($0) }
    }
  ]
}
