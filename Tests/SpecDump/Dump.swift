import CoreMLBase
import CoreMLSpec

/// All values that the accessors of a message return as text, line by line in the format of tools/spec_dump.py for
/// Python's protobuf.
///
/// The functions that call the accessors of each message are in Generated/.
package final class Dump {
  package private(set) var text = ""

  package init() {}

  private func line(_ parts: String...) {
    for part in parts { text += part }
    text += "\n"
  }

  // MARK: One value

  func scalar(_ name: String, _ value: some FixedWidthInteger) { line(name, "=", String(value)) }
  func scalar(_ name: String, _ value: Bool) { line(name, "=", value ? "1" : "0") }
  func scalar(_ name: String, _ value: Float) { line(name, "=f", String(value.bitPattern)) }
  func scalar(_ name: String, _ value: Double) { line(name, "=d", String(value.bitPattern)) }
  func scalar(_ name: String, _ value: String) { line(name, "=", Self.hash(Array(value.utf8))) }
  func scalar(_ name: String, _ value: Bytes) { line(name, "=", Self.hash(value.array)) }

  func member(_ name: String, _ value: (some FixedWidthInteger)?) { if let value { scalar(name, value) } }
  func member(_ name: String, _ value: Bool?) { if let value { scalar(name, value) } }
  func member(_ name: String, _ value: Float?) { if let value { scalar(name, value) } }
  func member(_ name: String, _ value: Double?) { if let value { scalar(name, value) } }
  func member(_ name: String, _ value: String?) { if let value { scalar(name, value) } }
  func member(_ name: String, _ value: Bytes?) { if let value { scalar(name, value) } }

  func oneOf(_ name: String, _ member: String) { line("oneof ", name, "=", member) }

  func one<View>(_ name: String, _ view: View?, _ body: (View) throws -> Void) rethrows {
    guard let view else { return }
    line(name, " {")
    try body(view)
    line("}")
  }

  // MARK: Many

  func each<View>(_ name: String, _ views: Views<View>, _ body: (View) throws -> Void) rethrows {
    line(name, " [", String(views.count))
    for view in views {
      try body(view)
      line(",")
    }
    line("]")
  }

  func map<Value>(
    _ name: String, _ map: [String: Value], _ inOrder: Int, _ body: (Value) throws -> Void
  ) rethrows {
    line(name, " map ", String(map.count), " ", String(inOrder))
    for (key, value) in map.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      line(Self.hash(Array(key.utf8)), ":")
      try body(value)
    }
  }

  func map<Value>(_ name: String, _ map: [Int64: Value], _ inOrder: Int, _ body: (Value) throws -> Void) rethrows {
    line(name, " map ", String(map.count), " ", String(inOrder))
    for (key, value) in map.sorted(by: { $0.key < $1.key }) {
      line(String(key), ":")
      try body(value)
    }
  }

  func value(_ value: Int64) { scalar("value", value) }
  func value(_ value: Double) { scalar("value", value) }
  func value(_ value: String) { scalar("value", value) }

  func list(_ name: String, _ values: [some FixedWidthInteger]) {
    let bytes = values.flatMap { value in withUnsafeBytes(of: UInt64(truncatingIfNeeded: value)) { [UInt8]($0) } }
    line(name, "=", String(values.count), " ", Self.hash(bytes))
  }

  func list(_ name: String, _ values: [Bool]) { list(name, values.map { $0 ? 1 : 0 }) }
  func list(_ name: String, _ values: [String]) {
    line(name, "=", values.map { Self.hash(Array($0.utf8)) }.joined(separator: ","))
  }
  func list(_ name: String, _ values: [Bytes]) {
    line(name, "=", values.map { Self.hash($0.array) }.joined(separator: ","))
  }

  func list(_ name: String, _ values: [Float], _ bytes: Bytes) {
    let same = values.withUnsafeBytes { [UInt8]($0) } == bytes.array
    line(name, "=", String(values.count), " ", same ? Self.hash(bytes.array) : "differs from its bytes")
  }

  func list(_ name: String, _ values: [Double], _ bytes: Bytes) {
    let same = values.withUnsafeBytes { [UInt8]($0) } == bytes.array
    line(name, "=", String(values.count), " ", same ? Self.hash(bytes.array) : "differs from its bytes")
  }

  // MARK: Payloads

  /// The size and the CRC-32 of the bytes. Above 64 KiB, the CRC-32 covers the first and the last 32 KiB.
  static func hash(_ bytes: [UInt8]) -> String {
    let part = 32768
    var crc = ~UInt32(0)
    for byte in bytes.count > 2 * part ? bytes.prefix(part) + bytes.suffix(part) : bytes[...] {
      crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)]
    }
    return "\(bytes.count):\(~crc)"
  }

  private static let table: [UInt32] = (0..<256).map { (index: UInt32) in
    (0..<8).reduce(index) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
  }
}
