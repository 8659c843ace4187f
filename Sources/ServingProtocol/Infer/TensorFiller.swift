import CoreMLServingInterface
import Foundation

/// Fills tensors from bytes that arrive in pieces of any size.
final class TensorFiller {
  private enum Target {
    case elements(TensorMemory)
    case strings(ByteStore, size: Int)

    var size: Int {
      switch self {
      case .elements(let memory): memory.bytes.count
      case .strings(_, let size): size
      }
    }
  }

  private let inputs: [InferenceHead.Input]
  private var index = -1
  private var target: Target?
  private var filled = 0
  private var contents: [ServingTensor.Content?]

  init(_ head: InferenceHead) {
    inputs = head.inputs
    contents = head.inputs.map(\.content)
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(ServingError) {
    var rest = bytes
    while !rest.isEmpty {
      while target == nil, index < inputs.count { try next() }
      guard let target else {
        throw ServingError(.invalidArgument, "The body has more bytes than its tensors.")
      }
      let part = min(rest.count, target.size - filled)
      switch target {
      case .elements(let memory):
        UnsafeMutableRawBufferPointer(rebasing: memory.bytes[filled...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<part]))
      case .strings(let store, _):
        store.append(UnsafeRawBufferPointer(rebasing: rest[..<part]))
        try store.check()
      }
      filled += part
      rest = UnsafeRawBufferPointer(rebasing: rest[part...])
      if filled == target.size { try complete() }
    }
  }

  /// Goes to the next input that follows the JSON.
  private func next() throws(ServingError) {
    index += 1
    while index < inputs.count, inputs[index].binaryByteCount == nil { index += 1 }
    guard index < inputs.count, let size = inputs[index].binaryByteCount else { return }
    filled = 0
    target =
      inputs[index].type == .bytes
      ? .strings(ByteStore(), size: size) : .elements(try TensorMemory(byteCount: size))
    if size == 0 { try complete() }
  }

  private func complete() throws(ServingError) {
    switch target {
    case .elements(let memory): contents[index] = .elements(memory)
    case .strings(let store, _):
      let input = inputs[index]
      let count = try TensorShape.elementCount(input.shape, tensor: input.name)
      contents[index] = .byteStrings(try ByteStrings.split(store.bytes, count: count, tensor: input.name))
      try TensorDataReader.checkByteStrings(contents)
    case nil: break
    }
    target = nil
  }

  func finish(_ head: InferenceHead) throws(ServingError) -> InferenceHead {
    while target == nil, index < inputs.count { try next() }
    guard target == nil else {
      throw ServingError(
        .invalidArgument,
        "The body ends after \(filled) bytes of the input '\(inputs[index].name)', which has \(inputs[index].binaryByteCount ?? 0)."
      )
    }
    var head = head
    for index in inputs.indices { head.inputs[index].content = contents[index] }
    return head
  }
}

/// The bytes of a BYTES tensor: each string after its length, 32 bits, little-endian.
package enum ByteStrings {
  package static func split(
    _ bytes: UnsafeRawBufferPointer, count: Int, tensor: String
  ) throws(ServingError) -> [[UInt8]] {
    guard count <= TensorDataReader.mostByteStrings else {
      throw ServingError(
        .tooLarge, "The tensor '\(tensor)' has more than \(TensorDataReader.mostByteStrings) byte strings.")
    }
    guard count <= bytes.count / 4 else { throw wrong(tensor, count) }
    var strings: [[UInt8]] = []
    strings.reserveCapacity(count)
    var position = 0
    for _ in 0..<count {
      guard bytes.count - position >= 4 else { throw wrong(tensor, count) }
      let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
      position += 4
      guard bytes.count - position >= length else { throw wrong(tensor, count) }
      strings.append(Array(bytes[position..<position + length]))
      position += length
    }
    guard position == bytes.count else { throw wrong(tensor, count) }
    return strings
  }

  package static func join(_ strings: [[UInt8]], into store: ByteStore) {
    store.reserve(strings.reduce(0) { $0 + $1.count + 4 })
    for string in strings {
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: string.count).littleEndian) { store.append($0) }
      string.withUnsafeBytes { store.append($0) }
    }
  }

  private static func wrong(_ tensor: String, _ count: Int) -> ServingError {
    ServingError(
      .invalidArgument, "The bytes of the tensor '\(tensor)' are not \(count) strings, each after its 32-bit length.")
  }
}
