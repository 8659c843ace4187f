/// A name and its type: a function's input, an operation's output.
package struct NamedType: Sendable, Hashable {
  package var name: String
  package var type: ValueType

  package init(_ name: String, _ type: ValueType) {
    self.name = name
    self.type = type
  }
}

/// What an argument of an operation is bound to: a value by its name, or a literal.
package enum Binding: Sendable {
  case name(String)
  case literal(Value)

  package var name: String? {
    if case .name(let name) = self { return name }
    return nil
  }
}

/// One operation. Names of outputs are unique within a function: they are the identity of values.
package struct Operation: Sendable {
  /// The MIL operation name, such as `conv`; `const` carries its literal in the argument `val`.
  package var type: String
  /// Arguments by parameter name; more than one binding only where the parameter is variadic (`values` of `concat`).
  package var inputs: [String: [Binding]]
  package var outputs: [NamedType]
  /// Nested blocks of control flow (`cond`: true, false; `while_loop`: condition, body).
  package var blocks: [Block]
  /// What the file says about the operation and no rule reads, such as `name`.
  package var attributes: [String: Value]
  /// The operations or layers of the model's file that it stands for, by the names they have there; empty for one that stands for itself.
  /// Passes hand them on, and what takes several operations' place has the origins of all.
  package var origins: [String]
  /// What computes it in place of the tables, for an operation that an application defines.
  package var code: (any OperationCode)?

  package init(
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
  package static func const(_ name: String, _ value: Value) -> Operation {
    Operation("const", inputs: ["val": [.literal(value)]], outputs: [NamedType(name, value.type)])
  }

  /// `origins`, or the operation's own name where it has none: that of its first output.
  package var named: [String] { origins.isEmpty ? outputs.prefix(1).map(\.name) : origins }

  /// How sentences name it: type and first output.
  package var label: String { outputs.first.map { "\(type) '\($0.name)'" } ?? type }

  /// The literal of a `const`.
  package var constant: Value? {
    guard type == "const", case .literal(let value)? = inputs["val"]?.first else { return nil }
    return value
  }

  /// Every name that the operation itself reads (not what its blocks capture), in no particular order.
  package var inputNames: [String] { inputs.values.flatMap { $0.compactMap(\.name) } }
}

/// A straight line of operations with names for what goes in and what comes out.
package struct Block: Sendable {
  package var inputs: [NamedType]
  package var operations: [Operation]
  package var outputs: [String]

  package init(inputs: [NamedType] = [], operations: [Operation] = [], outputs: [String] = []) {
    self.inputs = inputs
    self.operations = operations
    self.outputs = outputs
  }

  /// Names read inside that neither the block's inputs nor its own operations define.
  package var capturedNames: Set<String> {
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
package struct Function: Sendable {
  /// Inputs in order; a state's type is `.state`.
  package var inputs: [NamedType]
  /// The opset the file declares, such as `CoreML7`. Import normalises meanings, so no rule reads it.
  package var opset: String
  package var body: Block
  package var attributes: [String: Value]

  package init(inputs: [NamedType], opset: String, body: Block, attributes: [String: Value] = [:]) {
    self.inputs = inputs
    self.opset = opset
    self.body = body
    self.attributes = attributes
  }
}

/// A program: functions by name. `main` is the only one unless the model is multifunction.
package struct Program: Sendable {
  package var functions: [String: Function]
  package var attributes: [String: Value]

  package init(functions: [String: Function], attributes: [String: Value] = [:]) {
    self.functions = functions
    self.attributes = attributes
  }
}
