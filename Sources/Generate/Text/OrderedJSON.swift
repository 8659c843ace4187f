/// JSON with ordered members.
indirect enum OrderedJSON: Sendable {
  case object([(String, OrderedJSON)])
  case array([OrderedJSON])
  case string(String)
  case integer(Int64)
  case bool(Bool)

  /// The text with one member per line; lists of scalars stay on one line.
  func text() -> String {
    var code = CodeWriter(indentation: "  ")
    write(to: &code, before: "", after: "")
    return code.text
  }

  private func write(to code: inout CodeWriter, before: String, after: String) {
    switch self {
    case .object(let members) where !members.isEmpty:
      code.line("\(before){")
      code.indented { code in
        for (index, member) in members.enumerated() {
          member.1.write(
            to: &code, before: "\(Literals.json(member.0)): ", after: index == members.count - 1 ? "" : ",")
        }
      }
      code.line("}\(after)")
    case .array(let items) where !items.allSatisfy(\.isScalar):
      code.line("\(before)[")
      code.indented { code in
        for (index, item) in items.enumerated() {
          item.write(to: &code, before: "", after: index == items.count - 1 ? "" : ",")
        }
      }
      code.line("]\(after)")
    default: code.line("\(before)\(scalar)\(after)")
    }
  }

  private var isScalar: Bool {
    switch self {
    case .object, .array: false
    default: true
    }
  }

  private var scalar: String {
    switch self {
    case .object: "{}"
    case .array(let items): "[\(items.map(\.scalar).joined(separator: ", "))]"
    case .string(let text): Literals.json(text)
    case .integer(let value): "\(value)"
    case .bool(let value): "\(value)"
    }
  }
}
