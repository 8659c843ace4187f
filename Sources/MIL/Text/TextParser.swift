import CoreMLBase

/// Parses programs, functions, blocks and operations of MIL text.
struct TextParser {
  var scanner: TextScanner
  let resolve: MILText.Resolver

  static let maximumDepth = 64

  init(_ scanner: TextScanner, resolve: @escaping MILText.Resolver) {
    self.scanner = scanner
    self.resolve = resolve
  }

  mutating func program() throws -> Program {
    guard scanner.isAtWord("program") else { throw scanner.error("'program' is expected here") }
    _ = try scanner.word("'program'")
    try scanner.expect("(")
    let version = try scanner.number()
    guard version.hasPrefix("1.") else { throw scanner.error("the text has version \(version), 1.0 to 1.3 are known") }
    try scanner.expect(")")
    let attributes = try self.attributes()
    try scanner.expect("{")
    var functions: [String: Function] = [:]
    while !scanner.take("}") {
      let (name, function) = try self.function()
      guard functions[name] == nil else { throw scanner.error("the function '\(name)' is defined twice") }
      functions[name] = function
    }
    guard scanner.isAtEnd else { throw scanner.error("the text goes on after the program") }
    guard !functions.isEmpty else { throw scanner.error("the program has no function") }
    return Program(functions: functions, attributes: attributes)
  }

  private mutating func function() throws -> (String, Function) {
    guard scanner.isAtWord("func") else { throw scanner.error("'func' or '}' is expected here") }
    _ = try scanner.word("'func'")
    let name = try scanner.name()
    try scanner.expect("<")
    let opset = try scanner.name("an opset")
    try scanner.expect(">")
    let inputs = try parameters()
    let attributes = try self.attributes()
    let (operations, outputs) = try body(depth: 0)
    try scanner.expect(";")
    return (
      name,
      Function(
        inputs: inputs, opset: Self.opsets[opset] ?? opset, body: Block(operations: operations, outputs: outputs),
        attributes: attributes)
    )
  }

  /// MIL text names opsets by system version; the protobuf schema names them by Core ML version.
  static let opsets = [
    "ios15": "CoreML5", "ios16": "CoreML6", "ios17": "CoreML7", "ios18": "CoreML8", "ios26": "CoreML9",
  ]

  private mutating func parameters() throws -> [NamedType] {
    try scanner.expect("(")
    var parameters: [NamedType] = []
    while !scanner.take(")") {
      if !parameters.isEmpty { try scanner.expect(",") }
      let type = try type(depth: 0)
      parameters.append(NamedType(try scanner.name(), type))
    }
    return parameters
  }

  private mutating func body(depth: Int) throws -> ([Operation], [String]) {
    guard depth < Self.maximumDepth else { throw scanner.error("blocks are nested too deeply") }
    try scanner.expect("{")
    var operations: [Operation] = []
    while !scanner.take("}") { operations.append(try operation(depth: depth)) }
    try scanner.expect("->")
    try scanner.expect("(")
    var outputs: [String] = []
    while !scanner.take(")") {
      if !outputs.isEmpty { try scanner.expect(",") }
      outputs.append(try scanner.name())
    }
    return (operations, outputs)
  }

  /// Parses `type a, type b = operation(..)`, or `operation(..)` without outputs (`write_state`).
  private mutating func operation(depth: Int) throws -> Operation {
    try Cancellation.check()
    var outputs: [NamedType] = []
    if isAtType() {
      repeat {
        let type = try type(depth: 0)
        outputs.append(NamedType(try scanner.name(), type))
      } while scanner.take(",")
      try scanner.expect("=")
    }
    var operation = Operation(try scanner.name("an operation"), outputs: outputs)
    try scanner.expect("(")
    var isFirst = true
    while !scanner.take(")") {
      if !isFirst { try scanner.expect(",") }
      isFirst = false
      let parameter = try scanner.name()
      guard operation.inputs[parameter] == nil else {
        throw scanner.error("the argument '\(parameter)' is given twice")
      }
      try scanner.expect("=")
      operation.inputs[parameter] = try bindings()
    }
    for (name, value) in try attributes() where name != "name" {
      if name == MILText.origins, let origins = value.origins {
        operation.origins = origins
        continue
      }
      // `const` and the early `constexpr_` operations have their values as attributes.
      if operation.inputs[name] == nil, operation.type == "const" || operation.isConstexpr {
        operation.inputs[name] = [.literal(value)]
      } else {
        operation.attributes[name] = value
      }
    }
    while scanner.isAtWord("block") {
      _ = try scanner.word("'block'")
      let inputs = try parameters()
      let (operations, outputs) = try body(depth: depth + 1)
      operation.blocks.append(Block(inputs: inputs, operations: operations, outputs: outputs))
    }
    try scanner.expect(";")
    return operation
  }

  /// Parses one binding, or several bindings of a variadic parameter in parentheses.
  private mutating func bindings() throws -> [Binding] {
    guard scanner.take("(") else { return [try binding()] }
    var all: [Binding] = []
    while !scanner.take(")") {
      if !all.isEmpty { try scanner.expect(",") }
      all.append(try binding())
    }
    return all
  }

  /// Parses a name or a typed literal. A literal starts with a type name and an opening bracket, so `bool` is a valid
  /// value name.
  private mutating func binding() throws -> Binding {
    var ahead = scanner
    if let word = ahead.takeWord(), Self.typeWords.contains(word), ahead.take("<") || ahead.take("(") {
      return .literal(try value(depth: 0))
    }
    return .name(try scanner.name())
  }

  /// Whether a type follows, rather than an operation.
  private mutating func isAtType() -> Bool {
    var ahead = scanner
    guard let word = ahead.takeWord(), Self.typeWords.contains(word) else { return false }
    return !ahead.take("(")
  }

  static let typeWords: Set<String> = Set(ScalarType.allCases.map(\.rawValue)).union([
    "tensor", "list", "tuple", "dict", "state",
  ])

  private mutating func attributes() throws -> [String: Value] {
    var attributes: [String: Value] = [:]
    guard scanner.take("[") else { return attributes }
    while !scanner.take("]") {
      if !attributes.isEmpty { try scanner.expect(",") }
      let name = try scanner.name("an attribute")
      guard attributes[name] == nil else { throw scanner.error("the attribute '\(name)' is given twice") }
      try scanner.expect("=")
      attributes[name] = try value(depth: 0)
    }
    return attributes
  }
}

extension Value {
  /// The value of the attribute `origins`; nil if it is not a list of strings.
  fileprivate var origins: [String]? {
    guard let tensor, tensor.scalar == .string, tensor.rank == 1, tensor.count > 0 else { return nil }
    return try? tensor.strings()
  }
}
