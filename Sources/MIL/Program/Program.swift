/// A name and its type: a function's input, or an operation's output.
package struct NamedType: Sendable, Hashable {
  package var name: String
  package var type: ValueType

  package init(_ name: String, _ type: ValueType) {
    self.name = name
    self.type = type
  }
}

/// The binding of an operation's argument: a value by its name, or a literal.
package enum Binding: Sendable {
  case name(String)
  case literal(Value)

  package var name: String? {
    if case .name(let name) = self { return name }
    return nil
  }
}

/// One operation. Output names are unique within a function and identify values.
package struct Operation: Sendable {
  /// The MIL operation name, for example `conv`. A `const` carries its literal in the argument `val`.
  package var type: String
  /// Arguments by parameter name. Only variadic parameters (`values` of `concat`) have more than one binding.
  package var inputs: [String: [Binding]]
  package var outputs: [NamedType]
  /// Nested blocks of control flow (`cond`: true, false; `while_loop`: condition, body).
  package var blocks: [Block]
  /// Attributes from the file that no rule reads, for example `name`.
  package var attributes: [String: Value]
  /// The names of the operations or layers in the model file that it originates from; empty if it is one of them.
  /// Passes preserve origins, and an operation that replaces several others has the origins of all.
  package var origins: [String]
  /// The application code that computes it, for an operation that an application defines.
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

  /// A `const` that names `value`.
  package static func const(_ name: String, _ value: Value) -> Operation {
    Operation("const", inputs: ["val": [.literal(value)]], outputs: [NamedType(name, value.type)])
  }

  /// `origins`, or the operation's own name (that of its first output) if it has none.
  package var named: [String] { origins.isEmpty ? outputs.prefix(1).map(\.name) : origins }

  /// The type and first output, for messages.
  package var label: String { outputs.first.map { "\(type) '\($0.name)'" } ?? type }

  /// The literal of a `const`.
  package var constant: Value? {
    guard type == "const", case .literal(let value)? = inputs["val"]?.first else { return nil }
    return value
  }

  /// The names that the operation itself reads, in no particular order. Excludes names that its blocks capture.
  package var inputNames: [String] { inputs.values.flatMap { $0.compactMap(\.name) } }
}

/// A sequence of operations with named inputs and outputs.
package struct Block: Sendable {
  package var inputs: [NamedType]
  package var operations: [Operation]
  package var outputs: [String]

  package init(inputs: [NamedType] = [], operations: [Operation] = [], outputs: [String] = []) {
    self.inputs = inputs
    self.operations = operations
    self.outputs = outputs
  }

  /// The names that the block reads but does not define.
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
  /// The opset that the file declares, for example `CoreML7`. The importer normalizes semantics, so no rule reads it.
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

/// A program: functions by name. Only multifunction models have functions other than `main`.
package struct Program: Sendable {
  package var functions: [String: Function]
  package var attributes: [String: Value]

  package init(functions: [String: Function], attributes: [String: Value] = [:]) {
    self.functions = functions
    self.attributes = attributes
  }
}
