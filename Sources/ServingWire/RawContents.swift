import CoreMLServingInterface

/// Elements as bytes: row-major, little-endian, without gaps. A byte string is its length in 32 bits and its bytes.
enum RawContents {
  static func read(
    _ raw: UnsafeRawBufferPointer, _ input: InputHead, _ byteStrings: inout Int
  ) throws(ServingError) -> ServingTensor.Content {
    let count = try input.counts()
    guard input.type != .bytes else { return .byteStrings(try strings(raw, count.elements, input, &byteStrings)) }
    guard raw.count == count.bytes else {
      throw ServingError(
        .invalidArgument,
        "The input '\(input.name)' has \(raw.count) bytes; \(input.type.rawValue) of the shape \(input.shape) needs \(count.bytes)."
      )
    }
    if input.type == .bool, raw.contains(where: { $0 > 1 }) {
      throw ServingError(.invalidArgument, "The input '\(input.name)' of type BOOL has a byte that is not 0 or 1.")
    }
    let memory = try TensorMemory(byteCount: raw.count)
    memory.bytes.copyMemory(from: raw)
    return .elements(memory)
  }

  /// - Parameter budget: how many byte strings the request may still have.
  private static func strings(
    _ raw: UnsafeRawBufferPointer, _ count: Int, _ input: InputHead, _ budget: inout Int
  ) throws(ServingError) -> [[UInt8]] {
    // Each string takes at least 4 bytes, so the bytes bound the memory that is reserved.
    guard count <= raw.count / 4 else {
      throw ServingError(
        .invalidArgument, "The input '\(input.name)' has \(raw.count) bytes, too few for \(count) byte strings.")
    }
    try spend(count, &budget)
    var strings: [[UInt8]] = []
    strings.reserveCapacity(count)
    var offset = 0
    for _ in 0..<count {
      guard raw.count - offset >= 4 else { throw ends(input) }
      let length = Int(UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      offset += 4
      guard length <= raw.count - offset else { throw ends(input) }
      strings.append([UInt8](raw[offset..<offset + length]))
      offset += length
    }
    guard offset == raw.count else {
      throw ServingError(
        .invalidArgument, "The input '\(input.name)' has \(raw.count - offset) bytes after its \(count) byte strings.")
    }
    return strings
  }

  static func spend(_ count: Int, _ budget: inout Int) throws(ServingError) {
    budget -= count
    guard budget >= 0 else {
      throw ServingError(.tooLarge, "The request has more byte strings than the server takes.")
    }
  }

  private static func ends(_ input: InputHead) -> ServingError {
    ServingError(.invalidArgument, "The bytes of the input '\(input.name)' end inside a byte string.")
  }
}
