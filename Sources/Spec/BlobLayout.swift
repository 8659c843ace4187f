/// Where the entries of a weight file lie, and what stands around their data: all of the file but the data itself.
package struct BlobLayout: Sendable {
  /// Where one entry lies.
  package struct Place: Sendable {
    /// Of its metadata: what a program's `BlobFileValue` says.
    package let offset: UInt64
    /// The bytes in front of its data.
    package let metadata: [UInt8]
    /// The bytes behind it.
    package let filler: [UInt8]
  }

  private var position = BlobFile.alignment
  private var count: UInt32 = 0

  package init() {}

  /// Puts an entry behind the others.
  ///
  /// - Parameters:
  ///   - paddingBits: how many bits at the end of the data belong to no element (0...7), where elements are smaller than a byte.
  ///   - file: for messages.
  package mutating func place(_ type: BlobDataType, byteCount: Int, paddingBits: Int, file: String) throws -> Place {
    let whole =
      type.bits >= 8
      ? paddingBits == 0 && byteCount % (type.bits / 8) == 0
      : (0..<8).contains(paddingBits) && (byteCount > 0 || paddingBits == 0)
        && (byteCount % type.bits * 8 - paddingBits) % type.bits == 0
    guard whole else {
      throw SpecError(
        .malformedBlob,
        "\(byteCount) bytes with \(paddingBits) unused bits are no whole number of \(type) elements", file: file)
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

  /// The first bytes of the file, which say how many entries it has.
  package var head: [UInt8] {
    let fields = Self.bytes(count) + Self.bytes(BlobFile.version)
    return fields + [UInt8](repeating: 0, count: BlobFile.alignment - fields.count)
  }

  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}
