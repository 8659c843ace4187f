import CoreMLBase

/// A weight file: MIL blob storage, version 2 (`weights/weight.bin`).
///
/// All numbers are little endian. The file starts with a header of 64 bytes: the number of entries (u32), the version 2
/// (u32), the rest reserved. Each entry has 64 bytes of metadata at a multiple of 64:
/// - 0xDEADBEEF (u32)
/// - the element type (u32)
/// - the size of the data in bytes (u64)
/// - the data's offset in the file, also a multiple of 64 (u64)
/// - the number of unused bits at the end of the data (u64)
/// - the rest reserved
///
/// A program refers to an entry by the offset of its metadata.
package struct BlobFile: Sendable {
  static let version: UInt32 = 2
  static let sentinel: UInt32 = 0xdead_beef
  static let alignment = 64

  /// The data of one entry.
  package struct Entry: Sendable {
    package let dataType: BlobDataType
    package let data: Bytes
    /// The number of unused bits at the end of the last byte, 0...7. It is 0 unless elements are smaller than a byte.
    package let paddingBits: Int
    /// The number of elements.
    package var count: Int { (data.count * 8 - paddingBits) / dataType.bits }
  }

  package let bytes: Bytes
  /// The number of entries stated in the header. Nothing relies on it.
  package let statedCount: UInt32

  /// Maps a weight file.
  package static func open(_ path: String) throws -> BlobFile { try BlobFile(try Bytes.mapping(file: path)) }

  package init(_ bytes: Bytes) throws {
    try LFSPointer.refuse(bytes, expected: "weights")
    guard bytes.count >= Self.alignment else {
      throw bytes.error(.malformedBlob, "a weight file begins with 64 bytes, and this one has \(bytes.count)")
    }
    let version = try bytes.load(UInt32.self, at: 4)
    guard version == Self.version else {
      throw bytes.error(.unsupportedBlobVersion, "expected blob storage version \(Self.version), found \(version)")
    }
    self.bytes = bytes
    statedCount = try bytes.load(UInt32.self, at: 0)
  }

  /// The entry with its metadata at this offset, which is the `BlobFileValue.offset` of a program.
  package func entry(atMetadataOffset offset: UInt64) throws -> Entry {
    func malformed(_ sentence: String) -> SpecError {
      bytes.error(.malformedBlob, "the entry at byte \(offset) \(sentence)")
    }
    let alignment = UInt64(Self.alignment)
    guard offset % alignment == 0, offset >= alignment else { throw malformed("is not at a multiple of 64") }
    guard offset <= UInt64(bytes.count), UInt64(bytes.count) - offset >= alignment else {
      throw malformed("is not within the \(bytes.count) bytes of the file")
    }
    let metadata = bytes.unchecked(Int(offset)..<Int(offset) + Self.alignment)
    let sentinel = try metadata.load(UInt32.self, at: 0)
    guard sentinel == Self.sentinel else {
      throw malformed("begins with 0x\(String(sentinel, radix: 16)), not 0xdeadbeef")
    }
    let code = try metadata.load(UInt32.self, at: 4)
    guard let type = BlobDataType(rawValue: code) else { throw malformed("has the unknown element type \(code)") }
    let size = try metadata.load(UInt64.self, at: 8)
    let start = try metadata.load(UInt64.self, at: 16)
    guard start % alignment == 0, start >= alignment else {
      throw malformed("has its data at byte \(start), which is not a multiple of 64")
    }
    guard start <= UInt64(bytes.count), size <= UInt64(bytes.count) - start else {
      throw malformed("has \(size) bytes of data from byte \(start), and the file has \(bytes.count)")
    }
    let data = bytes.unchecked(Int(start)..<Int(start + size))
    if type.bits >= 8 {
      // For these types, the padding field is undefined in files for systems before iOS 18.
      guard data.count % (type.bits / 8) == 0 else {
        throw malformed("has \(size) bytes of data, which is not an integral number of \(type) elements")
      }
      return Entry(dataType: type, data: data, paddingBits: 0)
    }
    let padding = try metadata.load(UInt64.self, at: 24)
    guard padding < 8, size > 0 || padding == 0, (data.count % type.bits * 8 - Int(padding)) % type.bits == 0 else {
      throw malformed(
        "has \(size) bytes of data with \(padding) unused bits, which is not an integral number of \(type) elements")
    }
    return Entry(dataType: type, data: data, paddingBits: Int(padding))
  }
}
