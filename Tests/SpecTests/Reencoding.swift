import CoreMLSpec
import SpecDump

/// Rewrites a model with this project's writer. It decomposes every message that the specification knows, and writes it
/// again field by field.
enum Reencoding {
  static let model = "CoreML.Specification.Model"

  static func edit(_ message: Message, _ type: String, depth: Int = 0) throws -> MessageEdit {
    var edit = MessageEdit()
    var cursor = message.fields
    while let field = try cursor.next() {
      switch field.value {
      case .varint(let value): edit.append(field.number, .uint(value))
      case .fixed32(let bits): edit.append(field.number, .float(Float(bitPattern: bits)))
      case .fixed64(let bits): edit.append(field.number, .double(Double(bitPattern: bits)))
      case .range(let range):
        let inside = try message.bytes.slice(range)
        if depth < Message.depthLimit, let inner = MessageFields.types[type]?[field.number] {
          edit.append(field.number, .message(try self.edit(Message(inside), inner, depth: depth + 1)))
        } else {
          edit.append(field.number, .bytes(inside))
        }
      }
    }
    return edit
  }

  static func dump(_ message: Message) throws -> String {
    let dump = Dump()
    try Dump.functions[model]?(dump, message)
    return dump.text
  }
}
