import CoreMLServingInterface

/// Stores the elements of a typed list, packed or one by one, in the memory of a tensor.
struct ElementWriter {
  let input: InputHead
  let memory: TensorMemory
  private var offset = 0

  init(input: InputHead, memory: TensorMemory) { (self.input, self.memory) = (input, memory) }

  mutating func write(_ field: WireReader.Field) throws(ServingError) {
    switch (field.value, input.type) {
    case (.bytes(let packed), .float32), (.bytes(let packed), .float64):
      guard packed.count <= memory.bytes.count - offset else { throw misfit() }
      UnsafeMutableRawBufferPointer(rebasing: memory.bytes[offset...]).copyMemory(from: packed)
      offset += packed.count
    case (.fixed32(let bits), .float32): try store(bits)
    case (.fixed64(let bits), .float64): try store(bits)
    case (_, .float32), (_, .float64): throw misfit()
    case (.bytes(let packed), _):
      var reader = WireReader(packed)
      while !reader.isAtEnd { try store(number: try reader.varint()) }
    case (.varint(let bits), _): try store(number: bits)
    default: throw misfit()
    }
  }

  private mutating func store(number bits: UInt64) throws(ServingError) {
    switch input.type {
    case .bool: try store(UInt8(bits == 0 ? 0 : 1))
    case .int8: try store(exact(Int8.self, Int64(bitPattern: bits)))
    case .int16: try store(exact(Int16.self, Int64(bitPattern: bits)))
    case .int32: try store(exact(Int32.self, Int64(bitPattern: bits)))
    case .uint8: try store(exact(UInt8.self, bits))
    case .uint16: try store(exact(UInt16.self, bits))
    case .uint32: try store(exact(UInt32.self, bits))
    case .int64, .uint64: try store(bits)
    case .float16, .bfloat16, .float32, .float64, .bytes: throw misfit()
    }
  }

  private func exact<Small: FixedWidthInteger>(
    _ type: Small.Type, _ value: some BinaryInteger
  ) throws(ServingError) -> Small {
    guard let small = Small(exactly: value) else {
      throw ServingError(
        .invalidArgument,
        "The input '\(input.name)' has the element \(value), which \(input.type.rawValue) cannot hold.")
    }
    return small
  }

  private mutating func store<Number: FixedWidthInteger>(_ number: Number) throws(ServingError) {
    guard MemoryLayout<Number>.size <= memory.bytes.count - offset else { throw misfit() }
    memory.bytes.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
    offset += MemoryLayout<Number>.size
  }

  private func misfit() -> ServingError {
    ServingError(.invalidArgument, "The contents of the input '\(input.name)' do not fit its type.")
  }
}
