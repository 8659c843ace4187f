import CoreMLBase

/// Sequentially reads a file of fixed-width numbers and length-prefixed strings. Each read is checked against the
/// remaining bytes.
struct ByteCursor {
  let bytes: Bytes
  private(set) var position = 0

  init(_ bytes: Bytes) { self.bytes = bytes }

  var remaining: Int { bytes.count - position }

  mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) throws -> T {
    let value = try bytes.load(type, at: position)
    position += MemoryLayout<T>.size
    return value
  }

  mutating func float() throws -> Float { Float(bitPattern: try integer(UInt32.self)) }

  /// Reads a 64-bit count of items with at least `size` bytes each. Throws if the remaining bytes cannot hold them.
  mutating func count(of what: String, size: Int) throws -> Int {
    let value = try integer(UInt64.self)
    guard let count = Int(exactly: value), count <= remaining / max(size, 1) else {
      throw bytes.error(
        .malformedCompiledModel, "expected \(value) \(what) at byte \(position), and \(remaining) bytes are left")
    }
    return count
  }

  /// Reads a 64-bit length and that many bytes.
  mutating func block(_ what: String) throws -> Bytes {
    let count = try count(of: "bytes of \(what)", size: 1)
    let block = bytes.unchecked(position..<(position + count))
    position += count
    return block
  }

  mutating func string(_ what: String) throws -> String {
    let text = try block(what).withUnsafeBytes { String(validating: $0, as: UTF8.self) }
    guard let text else { throw bytes.error(.invalidUTF8, "\(what) before byte \(position) is not UTF-8") }
    return text
  }

  /// All bytes that have not been read.
  var rest: Bytes { bytes.unchecked(position..<bytes.count) }
}
