/// Computes the positions of entries in a weight file, and all bytes of the file except the data itself.
package struct BlobLayout: Sendable {
  /// The position of one entry.
  package struct Place: Sendable {
    /// The offset of its metadata, as in a program's `BlobFileValue`.
    package let offset: UInt64
    /// The bytes before its data.
    package let metadata: [UInt8]
    /// The padding after its data.
    package let filler: [UInt8]
  }

  private var position = BlobFile.alignment
  private var count: UInt32 = 0

  package init() {}

  /// Appends an entry.
  ///
  /// - Parameters:
  ///   - paddingBits: The number of unused bits at the end of the data (0...7), if elements are smaller than a byte.
  ///   - file: The path for error messages.
  package mutating func place(_ type: BlobDataType, byteCount: Int, paddingBits: Int, file: String) throws -> Place {
    let whole =
      type.bits >= 8
      ? paddingBits == 0 && byteCount % (type.bits / 8) == 0
      : (0..<8).contains(paddingBits) && (byteCount > 0 || paddingBits == 0)
        && (byteCount % type.bits * 8 - paddingBits) % type.bits == 0
    guard whole else {
      throw SpecError(
        .malformedBlob,
        "\(byteCount) bytes with \(paddingBits) unused bits are not an integral number of \(type) elements", file: file)
    }
    let start = position + BlobFile.alignment
    var metadata = Self.bytes(BlobFile.sentinel) + Self.bytes(type.rawValue)
    for value in [byteCount, start, paddingBits] { metadata += Self.bytes(UInt64(value)) }
    metadata += [UInt8](repeating: 0, count: BlobFile.alignment - metadata.count)
    let end = start + byteCount
    let next = (end + BlobFile.alignment - 1) / BlobFile.alignment * BlobFile.alignment
    defer { (position, count) = (next, count + 1) }
    return Place(offset: UInt64(position), metadata: metadata, filler: [UInt8](repeating: 0, count: next - end))
  }

  /// The header of the file, with the number of entries.
  package var head: [UInt8] {
    let fields = Self.bytes(count) + Self.bytes(BlobFile.version)
    return fields + [UInt8](repeating: 0, count: BlobFile.alignment - fields.count)
  }

  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}
