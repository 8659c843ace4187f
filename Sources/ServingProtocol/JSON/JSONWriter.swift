import CNumbers
import CoreMLServingInterface

/// Writes JSON into memory. The caller gives the values in the order of the text.
package struct JSONWriter {
  package let store: ByteStore
  /// Whether the next value or name follows another one in its list or object.
  private var needsComma = false

  package init(_ store: ByteStore = ByteStore()) { self.store = store }

  /// Writes a document.
  ///
  /// - Throws: `exhausted` if there is no memory.
  package static func document(_ body: (inout JSONWriter) -> Void) throws(ServingError) -> ByteStore {
    var writer = JSONWriter()
    body(&writer)
    try writer.store.check()
    return writer.store
  }

  package mutating func object(_ body: (inout JSONWriter) -> Void) {
    separate()
    store.append("{")
    needsComma = false
    body(&self)
    store.append("}")
    needsComma = true
  }

  package mutating func array<Values: Sequence>(_ values: Values, _ element: (inout JSONWriter, Values.Element) -> Void)
  {
    separate()
    store.append("[")
    needsComma = false
    for value in values { element(&self, value) }
    store.append("]")
    needsComma = true
  }

  package mutating func name(_ name: String) {
    separate()
    quoted(name)
    store.append(":")
    needsComma = false
  }

  package mutating func field(_ name: String, _ value: String) { self.name(name); string(value) }
  package mutating func field(_ name: String, _ value: Int) { self.name(name); integer(value) }
  package mutating func field(_ name: String, _ value: UInt64) { self.name(name); raw(String(value)) }
  package mutating func field(_ name: String, _ value: Bool) { self.name(name); bool(value) }
  package mutating func field(_ name: String, _ values: [Int]) {
    self.name(name)
    array(values) { writer, value in writer.integer(value) }
  }
  package mutating func field(_ name: String, _ values: [String]) {
    self.name(name)
    array(values) { writer, value in writer.string(value) }
  }
  package mutating func field(_ name: String, _ parameters: [String: ParameterValue]) {
    self.name(name)
    object { writer in
      for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
        writer.name(name)
        switch value {
        case .bool(let value): writer.bool(value)
        case .integer(let value): writer.raw(String(value))
        case .number(let value): writer.number(value)
        case .text(let value): writer.string(value)
        }
      }
    }
  }

  package mutating func string(_ value: String) {
    separate()
    quoted(value)
    needsComma = true
  }

  package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }
  package mutating func integer(_ value: Int) { raw(String(value)) }

  /// NaN and the infinities are strings, as in tensors.
  package mutating func number(_ value: Double) {
    separate()
    store.append(upTo: Int(CNumbersRoom) + 2) { out in cnumbers_print_doubles([value], 1, out) }
    needsComma = true
  }

  /// Text that is JSON already.
  package mutating func raw(_ text: String) {
    separate()
    store.append(text: text)
    needsComma = true
  }

  /// A value that `write` appends to the store.
  mutating func value(_ write: (ByteStore) -> Void) {
    separate()
    write(store)
    needsComma = true
  }

  private func separate() { if needsComma { store.append(",") } }

  private func quoted(_ text: String) {
    var text = text
    text.withUTF8 { Self.quote(UnsafeRawBufferPointer($0), into: store) }
  }

  /// Writes UTF-8 as a JSON string.
  static func quote(_ bytes: UnsafeRawBufferPointer, into store: ByteStore) {
    store.append("\"")
    var start = 0
    for (index, byte) in bytes.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
      store.append(UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
      start = index + 1
      switch byte {
      case 0x22: store.append("\\\"")
      case 0x5C: store.append("\\\\")
      case 0x0A: store.append("\\n")
      case 0x0D: store.append("\\r")
      case 0x09: store.append("\\t")
      default:
        store.append("\\u00")
        store.append(text: byte < 16 ? "0" : "1")
        store.append(text: String(byte & 15, radix: 16))
      }
    }
    store.append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
    store.append("\"")
  }
}
