import CoreMLServingInterface

/// Elements as numbers of a message: `InferTensorContents`.
enum TypedContents {
  static func read(_ input: InputHead, _ byteStrings: inout Int) throws(ServingError) -> ServingTensor.Content {
    let wanted = try field(of: input)
    let count = try input.counts()
    let found = try elements(input, wanted)
    guard found == count.elements else {
      throw ServingError(
        .invalidArgument,
        "The input '\(input.name)' has \(found) elements; its shape \(input.shape) needs \(count.elements).")
    }
    if input.type == .bytes {
      try RawContents.spend(found, &byteStrings)
      var strings: [[UInt8]] = []
      strings.reserveCapacity(found)
      try each(input) { (field) throws(ServingError) in
        strings.append([UInt8](try field.bytes("An element of the input '\(input.name)'")))
      }
      return .byteStrings(strings)
    }
    // The message has this number of elements, so the size is at most eight times that of the message.
    let memory = try TensorMemory(byteCount: count.bytes)
    var writer = ElementWriter(input: input, memory: memory)
    try each(input) { (field) throws(ServingError) in try writer.write(field) }
    return .elements(memory)
  }

  /// The number of the field that holds elements of the input's type.
  private static func field(of input: InputHead) throws(ServingError) -> Int {
    switch input.type {
    case .bool: return 1
    case .int8, .int16, .int32: return 2
    case .int64: return 3
    case .uint8, .uint16, .uint32: return 4
    case .uint64: return 5
    case .float32: return 6
    case .float64: return 7
    case .bytes: return 8
    case .float16, .bfloat16:
      throw ServingError(
        .invalidArgument,
        "The input '\(input.name)' of type \(input.type.rawValue) must be sent in raw_input_contents.")
    }
  }

  private static func each(
    _ input: InputHead, _ body: (WireReader.Field) throws(ServingError) -> Void
  ) throws(ServingError) {
    for part in input.contents {
      var reader = WireReader(part)
      while let field = try reader.next() { try body(field) }
    }
  }

  /// Counts the elements without storing them.
  private static func elements(_ input: InputHead, _ wanted: Int) throws(ServingError) -> Int {
    var count = 0
    for part in input.contents {
      var reader = WireReader(part)
      while let field = try reader.next() {
        guard field.number == wanted else {
          throw ServingError(
            .invalidArgument,
            "The input '\(input.name)' of type \(input.type.rawValue) has contents in field \(field.number); expected \(wanted)."
          )
        }
        switch field.value {
        case .bytes(let packed) where wanted <= 5: count += packed.count { $0 < 0x80 }
        case .bytes(let packed) where wanted == 6: count += try whole(packed.count, 4, input)
        case .bytes(let packed) where wanted == 7: count += try whole(packed.count, 8, input)
        default: count += 1
        }
      }
    }
    return count
  }

  private static func whole(_ bytes: Int, _ size: Int, _ input: InputHead) throws(ServingError) -> Int {
    guard bytes.isMultiple(of: size) else {
      throw ServingError(.invalidArgument, "The contents of the input '\(input.name)' end inside an element.")
    }
    return bytes / size
  }
}
