import CoreMLBase
import Foundation
import Testing

@testable import CoreMLSpec

@Suite struct BlobTests {
  @Test func whatIsWrittenIsRead() throws {
    try inTemporaryFolder { folder in
      let path = folder + "/weight.bin"
      let writer = try BlobWriter(path: path)
      var offsets: [(UInt64, BlobDataType, [UInt8])] = []
      for (index, type) in BlobDataType.allCases.enumerated() {
        // 12 bytes are an integral number of elements of every type.
        let data = (0..<12 * index).map { UInt8($0 & 0xff) }
        offsets.append((try writer.append(type, Bytes(data)), type, data))
      }
      try writer.finish()
      let file = try BlobFile.open(path)
      #expect(file.statedCount == UInt32(BlobDataType.allCases.count))
      #expect(file.bytes.count % 64 == 0)
      for (offset, type, data) in offsets {
        let entry = try file.entry(atMetadataOffset: offset)
        #expect(entry.dataType == type)
        #expect(entry.data.array == data)
        #expect(entry.count == data.count * 8 / type.bits)
        #expect(Int(bitPattern: entry.data.pointer) % 64 == 0)
        #expect(entry.data.storage === file.bytes.storage)
      }
    }
  }

  @Test func paddingCountsElements() throws {
    try inTemporaryFolder { folder in
      let path = folder + "/weight.bin"
      let writer = try BlobWriter(path: path)
      // Five 3-bit elements have 15 bits, and three 4-bit elements have 12. No elements have no bytes.
      let three = try writer.append(.uint3, Bytes([1, 2]), paddingBits: 1)
      let four = try writer.append(.int4, Bytes([1, 2]), paddingBits: 4)
      let none = try writer.append(.uint6, Bytes())
      expectError(.malformedBlob) { try writer.append(.uint3, Bytes([1, 2]), paddingBits: 0) }
      expectError(.malformedBlob) { try writer.append(.uint1, Bytes([1]), paddingBits: 8) }
      expectError(.malformedBlob) { try writer.append(.uint1, Bytes(), paddingBits: 1) }
      expectError(.malformedBlob) { try writer.append(.float16, Bytes([1])) }
      expectError(.malformedBlob) { try writer.append(.uint8, Bytes([1]), paddingBits: 1) }
      try writer.finish()
      let file = try BlobFile.open(path)
      #expect(try file.entry(atMetadataOffset: three).count == 5)
      #expect(try file.entry(atMetadataOffset: four).count == 3)
      #expect(try file.entry(atMetadataOffset: none).count == 0)
      #expect(file.statedCount == 3)
    }
  }

  @Test func everyTypeIsATensorType() {
    for type in BlobDataType.allCases { #expect(BlobDataType(tensorType: type.tensorType) == type) }
    #expect(BlobDataType(tensorType: .string) == nil)
    #expect(BlobDataType(tensorType: .int64) == nil)
  }

  /// A file with one entry of 8 bytes, and optional modifications.
  private func file(
    version: UInt32 = 2, sentinel: UInt32 = 0xdead_beef, type: UInt32 = 2, size: UInt64 = 8, start: UInt64 = 128,
    padding: UInt64 = 0
  ) throws -> BlobFile {
    var bytes: [UInt8] = []
    func put(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
    put(UInt32(1))
    put(version)
    bytes += [UInt8](repeating: 0, count: 56)
    put(sentinel)
    put(type)
    put(size)
    put(start)
    put(padding)
    bytes += [UInt8](repeating: 0xaa, count: 32)
    bytes += [UInt8](repeating: 1, count: 8)
    return try BlobFile(Bytes(bytes))
  }

  @Test func damagedEntriesAreRefused() throws {
    #expect(try file().entry(atMetadataOffset: 64).data.count == 8)
    // Older writers leave garbage in the padding field of types with whole bytes.
    #expect(try file(padding: .max).entry(atMetadataOffset: 64).paddingBits == 0)
    expectError(.unsupportedBlobVersion) { try file(version: 1) }
    expectError(.malformedBlob) { try file(sentinel: 1).entry(atMetadataOffset: 64) }
    expectError(.malformedBlob) { try file(type: 0).entry(atMetadataOffset: 64) }
    expectError(.malformedBlob) { try file(type: 18).entry(atMetadataOffset: 64) }
    expectError(.malformedBlob) { try file(size: 9).entry(atMetadataOffset: 64) }
    expectError(.malformedBlob) { try file(size: .max).entry(atMetadataOffset: 64) }
    expectError(.malformedBlob) { try file(size: 6).entry(atMetadataOffset: 64) }
    expectError(.malformedBlob) { try file(start: 130).entry(atMetadataOffset: 64) }
    expectError(.malformedBlob) { try file(start: 0).entry(atMetadataOffset: 64) }
    expectError(.malformedBlob) { try file(start: 192).entry(atMetadataOffset: 64) }
    expectError(.malformedBlob) { try file(start: .max - 63).entry(atMetadataOffset: 64) }
    expectError(.malformedBlob) { try file(type: 12, padding: 8).entry(atMetadataOffset: 64) }
    expectError(.malformedBlob) { try file(type: 12, padding: .max).entry(atMetadataOffset: 64) }
    expectError(.malformedBlob) { try file(type: 12, padding: 0).entry(atMetadataOffset: 64) }
    #expect(try file(type: 12, padding: 1).entry(atMetadataOffset: 64).count == 21)
  }

  @Test func offsetsAreNotBelieved() throws {
    let file = try file()
    for offset in [0, 1, 63, 65, 128, 192, UInt64(Int.max) + 1, .max, .max - 63] {
      expectError(.malformedBlob) { try file.entry(atMetadataOffset: offset) }
    }
  }

  @Test func whatStandsInForWeightsIsNamed() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    #expect(
      expectError(.standIn) { try BlobFile(Bytes(Array(pointer.utf8))) }?.message.contains("Git LFS") == true)
    expectError(.standIn) { try BlobFile(Bytes(Array("../../../blobs/4b55".utf8))) }
    expectError(.standIn) { try BlobFile(Bytes()) }
    expectError(.malformedBlob) { try BlobFile(Bytes([1, 0, 0, 0, 2, 0, 0, 0])) }
  }

  @Test func anUnfinishedFileLeavesNothing() throws {
    try inTemporaryFolder { folder in
      do {
        let writer = try BlobWriter(path: folder + "/weight.bin")
        _ = try writer.append(.uint8, Bytes([1]))
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
  }
}
