import CoreMLBase
import CPlatform
import CoreMLSpec

/// Sorts the bytes of numbers by their place in the number, so that a compressor finds what is alike side by side.
///
/// Of a trained float's bytes only the one with the exponent is not noise. Here the exponents of a million weights follow each other and
/// take less than 3 bits each, and the noise is passed over quickly. Nothing is lost.
///
/// The form: blocks, each of 8 bytes (the size of a number: 1, 2 or 4; 1 if the numbers were rotated; two zeros; the bytes that follow,
/// u32) and its bytes: planes, the lowest byte's first, then as they are the bytes that make no whole number. Blocks are of at most
/// ``blockSize`` bytes.
enum PlaneShuffle {
  static let blockSize = 1 << 22
  static let headerSize = 8

  /// How a range of a file's bytes is sorted.
  struct Section: Equatable {
    /// Where it ends: it begins where the one before it does.
    var end: Int
    /// 1 (as it is), 2 or 4.
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

  /// Undoes it, block by block; `file` is for messages.
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
