import MIL

/// The backward pass of an operation: computes the gradients of its inputs from those of its outputs, with MIL
/// operations.
struct GradientRule: Sendable {
  let operations: [String]
  let apply: @Sendable (GradientCall) throws -> Void

  init(_ operations: String..., apply: @escaping @Sendable (GradientCall) throws -> Void) {
    self.operations = operations
    self.apply = apply
  }

  init(_ operations: [String], apply: @escaping @Sendable (GradientCall) throws -> Void) {
    self.operations = operations
    self.apply = apply
  }
}

/// A decomposition of an operation into operations that have gradient rules.
struct GradientDefinition: Sendable {
  let operations: [String]
  let write: @Sendable (FormCall) throws -> [Binding]

  init(_ operations: String..., write: @escaping @Sendable (FormCall) throws -> [Binding]) {
    self.operations = operations
    self.write = write
  }

  /// A decomposition with one output.
  static func single(
    _ operations: String..., write: @escaping @Sendable (FormCall) throws -> Binding
  ) -> GradientDefinition {
    GradientDefinition(operations: operations) { [try write($0)] }
  }

  private init(operations: [String], write: @escaping @Sendable (FormCall) throws -> [Binding]) {
    self.operations = operations
    self.write = write
  }
}

/// An operation in the backward pass: its arguments and results in the program, the gradients of its results, and the
/// gradients of its arguments.
final class GradientCall: OperationCall {
  struct Place: Hashable {
    var parameter: String
    var index: Int
  }

  let emit: Emitter
  let operation: MIL.Operation
  let invocation: Invocation
  /// The gradient of each output; nil if the loss does not depend on it.
  let gradients: [Binding?]
  private let wanted: Set<Place>
  private(set) var given: [Place: Binding] = [:]

  init(_ operation: MIL.Operation, gradients: [Binding?], wanted: Set<Place>, _ emit: Emitter) throws {
    self.operation = operation
    self.gradients = gradients
    self.wanted = wanted
    self.emit = emit
    invocation = try emit.invocation(operation)
  }

  func wants(_ parameter: String, _ index: Int = 0) -> Bool {
    wanted.contains(Place(parameter: parameter, index: index))
  }

  /// The first result, and its gradient.
  var y: Binding { .name(operation.outputs[0].name) }

  var gradient: Binding {
    get throws {
      guard let gradient = gradients.first ?? nil else {
        throw invocation.error(.invalidProgram, "its first output has no gradient")
      }
      return gradient
    }
  }

  /// Sets the gradient of an argument. The gradient is computed only if it is needed.
  func give(_ parameter: String, _ index: Int = 0, _ value: () throws -> Binding) throws {
    guard wants(parameter, index) else { return }
    given[Place(parameter: parameter, index: index)] = try value()
  }
}

/// An operation that is decomposed into others.
struct FormCall: OperationCall {
  let emit: Emitter
  let operation: MIL.Operation
  let invocation: Invocation
}

/// The access to an operation's arguments, for rules and decompositions.
protocol OperationCall {
  var operation: MIL.Operation { get }
  var invocation: Invocation { get }
}

extension OperationCall {
  func has(_ parameter: String) -> Bool { invocation.has(parameter) }

  func argument(_ parameter: String, _ index: Int = 0) throws -> Binding {
    guard let all = operation.inputs[parameter], all.indices.contains(index) else {
      throw invocation.error(.missingArgument, "the argument '\(parameter)' is missing")
    }
    return all[index]
  }

  var x: Binding { get throws { try argument("x") } }
}

/// The tables of gradient rules and decompositions.
enum Gradients {
  static let rules: [String: GradientRule] = Dictionary(
    [
      UnaryGradients.rules, BinaryGradients.rules, BinaryGradients.selection, ReductionGradients.rules,
      ProductGradients.rules, ConvolutionGradients.rules, PoolingGradients.rules, ShapeGradients.rules,
      ConcatGradients.rules, GatherGradients.rules, MoveGradients.rules, ResizingGradients.rules,
      SamplingGradients.rules, ProductGradients.softmaxes,
    ].joined().flatMap { rule in rule.operations.map { ($0, rule) } },
    uniquingKeysWith: { _, _ in preconditionFailure("two gradient rules for one operation") })

  static let forms: [String: GradientDefinition] = Dictionary(
    [
      ActivationGradients.forms, NormalizationGradients.forms, AttentionGradients.forms, RecurrentGradients.forms,
      ReductionGradients.forms, EinsumGradients.forms,
    ].joined().flatMap { form in form.operations.map { ($0, form) } },
    uniquingKeysWith: { _, _ in preconditionFailure("two forms of one operation") })

  /// Whether an operation can be differentiated.
  static func has(_ operation: String) -> Bool { rules[operation] != nil || forms[operation] != nil }
}
