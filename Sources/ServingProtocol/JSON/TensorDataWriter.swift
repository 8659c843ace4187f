import CNumbers
import CoreMLServingInterface

/// Writes the elements of a tensor as a flat JSON list.
///
/// Numbers have the fewest digits that read back as the same value. NaN and the infinities are the strings `"NaN"`,
/// `"Infinity"` and `"-Infinity"`: JSON has no such numbers, and NumPy, JavaScript's typed arrays and Protocol Buffers
/// read these strings as the values, while `null` becomes 0 in JavaScript.
enum TensorDataWriter {
  private static let block = 1024

  static func write(_ tensor: ServingTensor, into store: ByteStore) throws(ServingError) {
    store.append("[")
    switch tensor.content {
    case .byteStrings(let strings): try write(strings, tensor.name, into: store)
    case .elements(let memory): write(memory, tensor.type, into: store)
    }
    store.append("]")
    try store.check()
  }

  private static func write(_ strings: [[UInt8]], _ name: String, into store: ByteStore) throws(ServingError) {
    for (index, string) in strings.enumerated() {
      guard string.allSatisfy({ $0 < 0x80 }) || String(validating: string, as: UTF8.self) != nil else {
        throw ServingError(
          .invalidArgument, "The output '\(name)' holds bytes that are not text; ask for it with 'binary_data'.")
      }
      if index > 0 { store.append(",") }
      string.withUnsafeBytes { JSONWriter.quote($0, into: store) }
    }
  }

  private static func write(_ memory: TensorMemory, _ type: TensorType, into store: ByteStore) {
    let bytes = UnsafeRawBufferPointer(memory.bytes)
    switch type {
    case .float32:
      blocks(bytes, Float.self, store) { cnumbers_print_floats($0, $1, $2) }
    case .float64:
      blocks(bytes, Double.self, store) { cnumbers_print_doubles($0, $1, $2) }
    case .int32:
      blocks(bytes, Int32.self, store) { cnumbers_print_int32s($0, $1, $2) }
    case .float16: floats(bytes, Float16.self, store) { Float($0) }
    case .bfloat16: floats(bytes, UInt16.self, store) { BFloat16(bits: $0).float }
    case .bool:
      for (index, value) in bytes.enumerated() {
        if index > 0 { store.append(",") }
        if value != 0 { store.append("true") } else { store.append("false") }
      }
    case .int8: integers(bytes, Int8.self, store)
    case .int16: integers(bytes, Int16.self, store)
    case .int64: integers(bytes, Int64.self, store)
    case .uint8: integers(bytes, UInt8.self, store)
    case .uint16: integers(bytes, UInt16.self, store)
    case .uint32: integers(bytes, UInt32.self, store)
    case .uint64: integers(bytes, UInt64.self, store)
    case .bytes: break
    }
  }

  private static func blocks<Element: BitwiseCopyable>(
    _ bytes: UnsafeRawBufferPointer, _ type: Element.Type, _ store: ByteStore,
    _ print: (UnsafePointer<Element>, Int, UnsafeMutablePointer<UInt8>) -> Int
  ) {
    // Tensor memory is aligned to 64 bytes.
    let elements = bytes.assumingMemoryBound(to: Element.self)
    guard let first = elements.baseAddress else { return }
    var start = 0
    while start < elements.count {
      let count = min(block, elements.count - start)
      if start > 0 { store.append(",") }
      store.append(upTo: count * Int(CNumbersRoom)) { out in print(first + start, count, out) }
      start += count
    }
  }

  private static func floats<Element: BitwiseCopyable>(
    _ bytes: UnsafeRawBufferPointer, _ type: Element.Type, _ store: ByteStore, _ convert: (Element) -> Float
  ) {
    blocks(bytes, type, store) { values, count, out in
      withUnsafeTemporaryAllocation(of: Float.self, capacity: block) { floats in
        guard let first = floats.baseAddress else { return 0 }
        for index in 0..<count { floats[index] = convert(values[index]) }
        return cnumbers_print_floats(first, count, out)
      }
    }
  }

  private static func integers<Element: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: UnsafeRawBufferPointer, _ type: Element.Type, _ store: ByteStore
  ) {
    blocks(bytes, type, store) { values, count, out in
      var length = 0
      for index in 0..<count {
        let value = values[index]
        if index > 0 {
          out[length] = UInt8(ascii: ",")
          length += 1
        }
        if let signed = Int64(exactly: value) {
          length += cnumbers_print_integer(signed, out + length)
        } else {
          for digit in String(value).utf8 {
            out[length] = digit
            length += 1
          }
        }
      }
      return length
    }
  }
}
