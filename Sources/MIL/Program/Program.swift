/// A name and its type: a function's input, an operation's output.
public struct NamedType: Sendable, Hashable {
  public var name: String
  public var type: ValueType

  public init(_ name: String, _ type: ValueType) {
    self.name = name
    self.type = type
  }
}

/// What an argument of an operation is bound to: a value by its name, or a literal.
public enum Binding: Sendable {
  case name(String)
  case literal(Value)

  public var name: String? {
    if case .name(let name) = self { return name }
    return nil
  }
}

/// One operation. Names of outputs are unique within a function: they are the identity of values.
public struct Operation: Sendable {
  /// The MIL operation name, such as `conv`; `const` carries its literal in the argument `val`.
  public var type: String
  /// Arguments by parameter name; more than one binding only where the parameter is variadic (`values` of `concat`).
  public var inputs: [String: [Binding]]
  public var outputs: [NamedType]
  /// Nested blocks of control flow (`cond`: true, false; `while_loop`: condition, body).
  public var blocks: [Block]
  /// What the file says about the operation and no rule reads, such as `name`.
  public var attributes: [String: Value]
  /// The operations or layers of the model's file that it stands for, by the names they have there; empty for one that stands for itself.
  /// Passes hand them on, and what takes several operations' place has the origins of all.
  public var origins: [String]
  /// What computes it in place of the tables, for an operation that an application defines.
  public var code: (any OperationCode)?

  public init(
    _ type: String, inputs: [String: [Binding]] = [:], outputs: [NamedType], blocks: [Block] = [],
    attributes: [String: Value] = [:], origins: [String] = []
  ) {
    self.type = type
    self.inputs = inputs
    self.outputs = outputs
    self.blocks = blocks
    self.attributes = attributes
    self.origins = origins
  }

  /// A `const` that gives `value` a name.
  public static func const(_ name: String, _ value: Value) -> Operation {
    Operation("const", inputs: ["val": [.literal(value)]], outputs: [NamedType(name, value.type)])
  }

  /// `origins`, or the operation's own name where it has none: that of its first output.
  public var named: [String] { origins.isEmpty ? outputs.prefix(1).map(\.name) : origins }

  /// How sentences name it: type and first output.
  public var label: String { outputs.first.map { "\(type) '\($0.name)'" } ?? type }

  /// The literal of a `const`.
  public var constant: Value? {
    guard type == "const", case .literal(let value)? = inputs["val"]?.first else { return nil }
    return value
  }

  /// Every name that the operation itself reads (not what its blocks capture), in no particular order.
  public var inputNames: [String] { inputs.values.flatMap { $0.compactMap(\.name) } }
}

/// A straight line of operations with names for what goes in and what comes out.
public struct Block: Sendable {
  public var inputs: [NamedType]
  public var operations: [Operation]
  public var outputs: [String]

  public init(inputs: [NamedType] = [], operations: [Operation] = [], outputs: [String] = []) {
    self.inputs = inputs
    self.operations = operations
    self.outputs = outputs
  }

  /// Names read inside that neither the block's inputs nor its own operations define.
  public var capturedNames: Set<String> {
    var defined = Set(inputs.map(\.name))
    var captured: Set<String> = []
    for operation in operations {
      for name in operation.inputNames where !defined.contains(name) { captured.insert(name) }
      for block in operation.blocks {
        for name in block.capturedNames where !defined.contains(name) { captured.insert(name) }
      }
      defined.formUnion(operation.outputs.map(\.name))
    }
    for name in outputs where !defined.contains(name) { captured.insert(name) }
    return captured
  }
}

/// A function of a program.
public struct Function: Sendable {
  /// Inputs in order; a state's type is `.state`.
  public var inputs: [NamedType]
  /// The opset the file declares, such as `CoreML7`. Import normalises meanings, so no rule reads it.
  public var opset: String
  public var body: Block
  public var attributes: [String: Value]

  public init(inputs: [NamedType], opset: String, body: Block, attributes: [String: Value] = [:]) {
    self.inputs = inputs
    self.opset = opset
    self.body = body
    self.attributes = attributes
  }
}

/// A program: functions by name. `main` is the only one unless the model is multifunction.
public struct Program: Sendable {
  public var functions: [String: Function]
  public var attributes: [String: Value]

  public init(functions: [String: Function], attributes: [String: Value] = [:]) {
    self.functions = functions
    self.attributes = attributes
  }
}
