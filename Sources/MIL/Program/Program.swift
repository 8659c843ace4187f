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
///
/// A copy shares its contents until one of the copies changes, since passes copy many operations and change few.
package struct Operation: Sendable {
  @usableFromInline var contents: Contents

  // Sendable: changed only while one operation refers to it
  @usableFromInline final class Contents: @unchecked Sendable {
    @usableFromInline var type: String
    @usableFromInline var inputs: [String: [Binding]]
    @usableFromInline var outputs: [NamedType]
    @usableFromInline var blocks: [Block] = []
    @usableFromInline var attributes: [String: Value] = [:]
    @usableFromInline var origins: [String] = []
    @usableFromInline var code: (any OperationCode)?

    /// Whether the type is `const`, or starts with `constexpr_`: asked of every operation in every pass.
    @usableFromInline var (isConst, isConstexpr) = (false, false)

    init(_ type: String, _ inputs: [String: [Binding]], _ outputs: [NamedType]) {
      (self.type, self.inputs, self.outputs) = (type, inputs, outputs)
      noteType()
    }

    @usableFromInline func noteType() { (isConst, isConstexpr) = (type == "const", type.hasPrefix("constexpr_")) }

    private init(copying other: Contents) {
      (type, inputs, outputs) = (other.type, other.inputs, other.outputs)
      (blocks, attributes, origins, code) = (other.blocks, other.attributes, other.origins, other.code)
      (isConst, isConstexpr) = (other.isConst, other.isConstexpr)
    }

    @usableFromInline func copied() -> Contents { Contents(copying: self) }
  }

  @inlinable mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&contents) { contents = contents.copied() }
  }

  /// The MIL operation name, for example `conv`. A `const` carries its literal in the argument `val`.
  @inlinable package var type: String {
    _read { yield contents.type }
    _modify {
      makeUnique()
      yield &contents.type
      contents.noteType()
    }
  }
  /// Arguments by parameter name. Only variadic parameters (`values` of `concat`) have more than one binding.
  @inlinable package var inputs: [String: [Binding]] {
    _read { yield contents.inputs }
    _modify {
      makeUnique()
      yield &contents.inputs
    }
  }
  @inlinable package var outputs: [NamedType] {
    _read { yield contents.outputs }
    _modify {
      makeUnique()
      yield &contents.outputs
    }
  }
  /// Nested blocks of control flow (`cond`: true, false; `while_loop`: condition, body).
  @inlinable package var blocks: [Block] {
    _read { yield contents.blocks }
    _modify {
      makeUnique()
      yield &contents.blocks
    }
  }
  /// Attributes from the file that no rule reads, for example `name`.
  @inlinable package var attributes: [String: Value] {
    _read { yield contents.attributes }
    _modify {
      makeUnique()
      yield &contents.attributes
    }
  }
  /// The names of the operations or layers in the model file that it originates from; empty if it is one of them.
  /// Passes preserve origins, and an operation that replaces several others has the origins of all.
  @inlinable package var origins: [String] {
    _read { yield contents.origins }
    _modify {
      makeUnique()
      yield &contents.origins
    }
  }
  /// The application code that computes it, for an operation that an application defines.
  @inlinable package var code: (any OperationCode)? {
    _read { yield contents.code }
    _modify {
      makeUnique()
      yield &contents.code
    }
  }

  package init(
    _ type: String, inputs: [String: [Binding]] = [:], outputs: [NamedType], blocks: [Block] = [],
    attributes: [String: Value] = [:], origins: [String] = []
  ) {
    contents = Contents(type, inputs, outputs)
    if !blocks.isEmpty { contents.blocks = blocks }
    if !attributes.isEmpty { contents.attributes = attributes }
    if !origins.isEmpty { contents.origins = origins }
  }

  @inlinable package var isConst: Bool { contents.isConst }
  /// Equal for copies that have not changed.
  package var identity: ObjectIdentifier { ObjectIdentifier(contents) }

  /// Whether it is one of the `constexpr_*` operations, which decode stored constants.
  @inlinable package var isConstexpr: Bool { contents.isConstexpr }

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
    guard isConst, case .literal(let value)? = inputs["val"]?.first else { return nil }
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
  package var inputs: [NamedType] { didSet { index = FunctionIndex() } }
  /// The opset that the file declares, for example `CoreML7`. The importer normalizes semantics, so no rule reads it.
  package var opset: String
  package var body: Block {
    _read { yield block }
    _modify {
      // A copy of the function keeps the index of what it was.
      if isKnownUniquelyReferenced(&index) { index.clear() } else { index = FunctionIndex() }
      yield &block
    }
  }
  package var attributes: [String: Value]
  private var block: Block
  /// What passes ask of the function, found once and shared by its copies until one changes.
  private(set) var index = FunctionIndex()

  /// The same function with some operations exchanged for others of the same names, with other types or constants. It
  /// keeps what is known of the names.
  package func with(inputs: [NamedType], operations changed: [Int: Operation]) -> Function {
    var result = self
    var (types, constants): ([String: ValueType], [String: Value]) = ([:], [:])
    for input in inputs { types[input.name] = input.type }
    for (position, operation) in changed {
      result.block.operations[position] = operation
      for output in operation.outputs { types[output.name] = output.type }
      if let value = operation.constant, let output = operation.outputs.first { constants[output.name] = value }
    }
    result.inputs = inputs
    result.index = index.with(types: types, constants: constants)
    return result
  }

  package init(inputs: [NamedType], opset: String, body: Block, attributes: [String: Value] = [:]) {
    self.inputs = inputs
    self.opset = opset
    block = body
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
