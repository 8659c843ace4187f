import CoreMLBase
import CoreMLSpec
import CPlatform

/// Rearranges multi-byte elements into byte planes (all first bytes, then all second bytes, and so on) to improve
/// compression.
///
/// In trained weights, only the byte with the exponent compresses well. In its plane, consecutive exponents take less
/// than 3 bits each, and the compressor skips the noise of the other planes quickly. The transformation is lossless.
///
/// The format is a sequence of blocks of at most ``blockSize`` bytes. Each block has an 8-byte header:
///
/// - byte 0: the element size in bytes (1, 2 or 4);
/// - byte 1: 1 if the elements were rotated, otherwise 0;
/// - bytes 2 and 3: zero;
/// - bytes 4 to 7: the number of bytes that follow, as a little-endian u32.
///
/// The planes follow, starting with the least significant byte. Trailing bytes that do not form a complete element are
/// copied unchanged.
enum PlaneShuffle {
  static let blockSize = 1 << 22
  static let headerSize = 8

  /// The layout of a range of a file.
  struct Section: Equatable {
    /// The end of the range. Each range begins at the end of the previous one.
    var end: Int
    /// The element size in bytes: 1 (copied unchanged), 2 or 4.
    var stride: Int
    var rotated: Bool
  }

  static func encode(
    _ bytes: Bytes, _ sections: [Section], to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let block = try WorkingMemory.take(blockSize + headerSize)
    defer { WorkingMemory.giveBack(block) }
    guard let out = block.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    var start = 0
    for section in sections {
      while start < section.end {
        let piece = try bytes.slice(start..<min(section.end, start + blockSize))
        block.storeBytes(of: UInt8(section.stride), toByteOffset: 0, as: UInt8.self)
        block.storeBytes(of: section.rotated ? 1 : 0, toByteOffset: 1, as: UInt8.self)
        block.storeBytes(of: 0, toByteOffset: 2, as: UInt16.self)
        block.storeBytes(of: UInt32(piece.count).littleEndian, toByteOffset: 4, as: UInt32.self)
        piece.withUnsafeBytes { source in
          guard let base = source.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
          let count = section.stride == 1 ? 0 : source.count / section.stride
          if count > 0 {
            cplatform_planes_split(base, out + headerSize, count, Int32(section.stride), section.rotated)
          }
          let whole = count * section.stride
          (out + headerSize + whole).update(from: base + whole, count: source.count - whole)
        }
        try sink(UnsafeRawBufferPointer(start: out, count: headerSize + piece.count))
        start += piece.count
      }
    }
  }

  /// Decodes a stream block by block. `file` is used in error messages.
  static func decode(
    _ stream: DecompressingStream, file: String, to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    func malformed(_ sentence: String) -> DeliveryError {
      DeliveryError(.malformedPayload, "the payload \(sentence)", file: file)
    }
    let memory = try WorkingMemory.take(2 * blockSize)
    defer { WorkingMemory.giveBack(memory) }
    let input = UnsafeMutableRawBufferPointer(rebasing: memory[..<blockSize])
    let output = UnsafeMutableRawBufferPointer(rebasing: memory[blockSize...])
    guard let from = input.baseAddress?.assumingMemoryBound(to: UInt8.self),
      let to = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return }
    while true {
      let header = UnsafeMutableRawBufferPointer(rebasing: input[..<headerSize])
      let read = try stream.read(into: header)
      if read == 0 { return }
      guard read == headerSize else { throw malformed("ends within the head of a block") }
      let stride = Int(header[0])
      let rotated = header[1] == 1
      let count = UInt32(littleEndian: header.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
      guard [1, 2, 4].contains(stride), header[1] <= 1, header[2] == 0, header[3] == 0, count > 0, count <= blockSize
      else { throw malformed("has an impossible block") }
      let size = Int(count)
      guard try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: input[..<size])) == size else {
        throw malformed("ends within a block")
      }
      guard stride > 1 else {
        try sink(UnsafeRawBufferPointer(rebasing: input[..<size]))
        continue
      }
      let numbers = size / stride
      let whole = numbers * stride
      if numbers > 0 { cplatform_planes_join(from, to, numbers, Int32(stride), rotated) }
      (to + whole).update(from: from + whole, count: size - whole)
      try sink(UnsafeRawBufferPointer(rebasing: output[..<size]))
    }
  }
}
