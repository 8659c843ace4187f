/// Prints programs as MIL text, in the dialect of `program(1.3)`.
struct TextPrinter {
  private(set) var text = ""

  mutating func program(_ program: Program) {
    text += "program(1.3)\n"
    attributes(program.attributes)
    text += "{\n"
    for (name, function) in program.functions.sorted(by: { $0.key < $1.key }) { self.function(name, function) }
    text += "}\n"
  }

  private mutating func function(_ name: String, _ function: Function) {
    let opset = TextParser.opsets.first { $0.value == function.opset }?.key ?? function.opset
    text += "    func \(Self.name(name))<\(Self.name(opset))>(\(Self.parameters(function.inputs)))"
    if !function.attributes.isEmpty { text += " " }
    attributes(function.attributes)
    text += " "
    body(function.body, indent: "        ")
    text += ";\n"
  }

  private mutating func body(_ block: Block, indent: String) {
    text += "{\n"
    for operation in block.operations { self.operation(operation, indent: indent) }
    text += indent.dropLast(4) + "} -> (" + block.outputs.map { Self.name($0) }.joined(separator: ", ") + ")"
  }

  private mutating func operation(_ operation: Operation, indent: String) {
    text += indent + operation.outputs.map { "\(Self.type($0.type)) \(Self.name($0.name))" }.joined(separator: ", ")
    // A `const` has its literal as an attribute.
    let constant = operation.inputs.count == 1 ? operation.constant : nil
    text += (operation.outputs.isEmpty ? "" : " = ") + Self.name(operation.type, also: ".") + "("
    if constant == nil {
      var isFirst = true
      for (parameter, bindings) in operation.inputs.sorted(by: { $0.key < $1.key }) {
        if !isFirst { text += ", " }
        isFirst = false
        text += "\(Self.name(parameter)) = "
        if bindings.count == 1 {
          binding(bindings[0])
        } else {
          text += "("
          for (index, item) in bindings.enumerated() {
            if index > 0 { text += ", " }
            binding(item)
          }
          text += ")"
        }
      }
    }
    text += ")"
    var all = operation.attributes
    if let constant { all["val"] = constant }
    if !operation.origins.isEmpty {
      all[MILText.origins] = .tensor(Tensor(strings: operation.origins, shape: [operation.origins.count]))
    }
    attributes(all)
    for block in operation.blocks {
      text += " block(\(Self.parameters(block.inputs))) "
      body(block, indent: indent + "    ")
    }
    text += ";\n"
  }

  private mutating func binding(_ binding: Binding) {
    switch binding {
    case .name(let name): text += Self.name(name)
    case .literal(let value): self.value(value)
    }
  }

  private mutating func attributes(_ attributes: [String: Value]) {
    guard !attributes.isEmpty else { return }
    text += "["
    for (index, (name, value)) in attributes.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { text += ", " }
      text += "\(Self.name(name)) = "
      self.value(value)
    }
    text += "]"
  }

  // MARK: names and types

  private static func parameters(_ parameters: [NamedType]) -> String {
    parameters.map { "\(type($0.type)) \(name($0.name))" }.joined(separator: ", ")
  }

  /// The name itself if it is an identifier (with one more character allowed), or else quoted after a percent sign.
  static func name(_ name: String, also other: Character? = nil) -> String {
    let isWord =
      !name.isEmpty && name.utf8.first != other?.asciiValue
      && name.utf8.allSatisfy { byte in
        switch byte {
        case other?.asciiValue: true
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
    return isWord ? name : "%" + quoted(name)
  }

  static func quoted(_ string: String) -> String {
    var result = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  static func type(_ type: ValueType) -> String {
    if case .tensor(let tensor) = type, tensor.shape.isEmpty { return tensor.scalar.rawValue }
    switch type {
    case .tensor(let tensor): return tensor.description
    case .list(let element, let length): return "list<\(Self.type(element)), \(length)>"
    case .tuple(let types): return "tuple<\(types.map(Self.type).joined(separator: ", "))>"
    case .dictionary(let key, let value): return "dict<\(Self.type(key)), \(Self.type(value))>"
    case .state(let tensor): return "state<\(tensor.description)>"
    }
  }

  // MARK: literals

  private mutating func value(_ value: Value) {
    text += Self.type(value.type) + "("
    literal(value)
    text += ")"
  }

  private mutating func literal(_ value: Value) {
    switch value {
    case .tensor(let tensor): self.tensor(tensor)
    case .list(let items, _): list(items, "[", "]")
    case .tuple(let items): list(items, "(", ")")
    case .dictionary(let pairs, _, _):
      text += "{"
      for (index, pair) in pairs.enumerated() {
        text += index > 0 ? ", {" : "{"
        literal(pair.key)
        text += ", "
        literal(pair.value)
        text += "}"
      }
      text += "}"
    }
  }

  private mutating func list(_ items: [Value], _ opening: String, _ closing: String) {
    text += opening
    for (index, item) in items.enumerated() {
      if index > 0 { text += ", " }
      literal(item)
    }
    text += closing
  }

  private mutating func tensor(_ tensor: Tensor) {
    if let origin = tensor.storage.origin {
      text += "BLOBFILE(path = string(\(Self.quoted(origin.path))), offset = uint64(\(origin.offset)))"
      return
    }
    // There may be many empty rows. One represents them all.
    guard tensor.count > 0 else {
      text += "[]"
      return
    }
    let words = Self.words(tensor)
    var position = 0
    nested(tensor.shape[...], words, &position)
  }

  private mutating func nested(_ shape: ArraySlice<Int>, _ words: [String], _ position: inout Int) {
    guard let count = shape.first else {
      text += words[position]
      position += 1
      return
    }
    text += "["
    for index in 0..<count {
      if index > 0 { text += ", " }
      nested(shape.dropFirst(), words, &position)
    }
    text += "]"
  }

  /// Each element as text that parses to the same bits. Every NaN becomes `nan`.
  private static func words(_ tensor: Tensor) -> [String] {
    switch tensor.scalar {
    case .string: return ((try? tensor.strings()) ?? []).map(quoted)
    case .bool: return ((try? tensor.bools()) ?? []).map { $0 ? "true" : "false" }
    case .int64: return tensor.withUnsafeBytes { $0.bindMemory(to: Int64.self).map { "\($0)" } }
    case .uint64: return tensor.withUnsafeBytes { $0.bindMemory(to: UInt64.self).map { "\($0)" } }
    case _ where tensor.scalar.isInteger: return ((try? tensor.ints()) ?? []).map { "\($0)" }
    case .float64: return ((try? tensor.doubles()) ?? []).map { $0.isNaN ? "nan" : "\($0)" }
    default: return ((try? tensor.floats()) ?? []).map { $0.isNaN ? "nan" : "\($0)" }
    }
  }
}
