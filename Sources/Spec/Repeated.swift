import CoreMLBase

/// Repeated fields, maps and oneofs of a message.
extension Message {
  // MARK: Repeated

  /// The messages of a repeated field.
  func views<View: MessageView>(_ number: Int, _ type: View.Type) throws -> Views<View> {
    var ranges: [Range<Int>] = []
    try forEach(number) { ranges.append(try range($0)) }
    return Views(ranges, of: ranges.isEmpty ? self : try inner(bytes))
  }

  package func strings(_ number: Int) throws -> [String] {
    var values: [String] = []
    try forEach(number) { values.append(try string($0)) }
    return values
  }

  package func byteStrings(_ number: Int) throws -> [Bytes] {
    var values: [Bytes] = []
    try forEach(number) { values.append(try bytes($0)) }
    return values
  }

  package func int32s(_ number: Int) throws -> [Int32] { try varints(number) { Int32(truncatingIfNeeded: $0) } }
  package func int64s(_ number: Int) throws -> [Int64] { try varints(number) { Int64(bitPattern: $0) } }
  package func uint32s(_ number: Int) throws -> [UInt32] { try varints(number) { UInt32(truncatingIfNeeded: $0) } }
  package func uint64s(_ number: Int) throws -> [UInt64] { try varints(number) { $0 } }
  package func bools(_ number: Int) throws -> [Bool] { try varints(number) { $0 != 0 } }

  private func varints<T>(_ number: Int, _ convert: (UInt64) -> T) throws -> [T] {
    var values: [T] = []
    try forEach(number) { field in
      switch field.value {
      case .varint(let value): values.append(convert(value))
      case .range(let range):
        try bytes.withUnsafeBytes { _ in
          var position = range.lowerBound
          while position < range.upperBound {
            let start = position
            guard let value = WireStep.longVarint(bytes.pointer, range.upperBound, &position) else {
              throw position == range.upperBound
                ? bytes.damaged(.truncated, "a varint ends after its field", at: start)
                : bytes.damaged(.malformedVarint, "a varint overflows 64 bits", at: start)
            }
            values.append(convert(value))
          }
        }
      default: throw wrongType(field, "varints")
      }
    }
    return values
  }

  package func floats(_ number: Int) throws -> [Float] { try numbers(floatBytes(number)) }
  package func doubles(_ number: Int) throws -> [Double] { try numbers(doubleBytes(number)) }

  private func numbers<T: BitwiseCopyable>(_ bytes: Bytes) -> [T] {
    let count = bytes.count / MemoryLayout<T>.stride
    return [T](unsafeUninitializedCapacity: count) { buffer, initialized in
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
      initialized = count
    }
  }

  /// The values of repeated floats, as little-endian 4-byte elements without alignment. If they are one packed run, as
  /// all writers produce, they are used in place. Otherwise they are copied.
  package func floatBytes(_ number: Int) throws -> Bytes { try fixedBytes(number, size: 4) }

  /// The same for doubles, with 8 bytes each.
  package func doubleBytes(_ number: Int) throws -> Bytes { try fixedBytes(number, size: 8) }

  private func fixedBytes(_ number: Int, size: Int) throws -> Bytes {
    var ranges: [Range<Int>] = []
    try forEach(number) { field in
      switch field.value {
      case .range(let range):
        guard range.count % size == 0 else {
          throw error(
            .truncated, "the packed field \(number) has \(range.count) bytes, not a multiple of \(size)", field)
        }
        if !range.isEmpty { ranges.append(range) }
      case .fixed32 where size == 4, .fixed64 where size == 8:
        ranges.append(field.range.upperBound - size..<field.range.upperBound)
      default: throw wrongType(field, "values of \(size) bytes")
      }
    }
    if ranges.count > 1 { return joined(ranges) }
    return ranges.first.map(bytes.unchecked) ?? Bytes()
  }

  /// A copy of several ranges of this message, concatenated. The ranges must be checked, and must not overlap.
  func joined(_ ranges: [Range<Int>]) -> Bytes {
    Bytes(count: ranges.reduce(0) { $0 + $1.count }, file: bytes.file) { memory in
      var position = 0
      bytes.withUnsafeBytes { source in
        for range in ranges {
          UnsafeMutableRawBufferPointer(rebasing: memory[position..<position + range.count])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[range]))
          position += range.count
        }
      }
    }
  }

  // MARK: Maps

  /// The entries of a map in file order. If a key occurs again, its last value is stored at its first position.
  func entries<Key: Hashable, Value>(
    _ number: Int, _ read: (Message) throws -> (Key, Value)
  ) throws -> [(key: Key, value: Value)] { try entries(number, identity: { $0 }, read) }

  /// String keys are compared by their bytes.
  func entries<Value>(
    _ number: Int, _ read: (Message) throws -> (String, Value)
  ) throws -> [(key: String, value: Value)] { try entries(number, identity: ExactText.init, read) }

  private func entries<Key, Identity: Hashable, Value>(
    _ number: Int, identity: (Key) -> Identity, _ read: (Message) throws -> (Key, Value)
  ) throws -> [(key: Key, value: Value)] {
    var entries: [(key: Key, value: Value)] = []
    var places: [Identity: Int] = [:]
    try forEach(number) { field in
      let (key, value) = try read(try inner(try bytes(field)))
      let identity = identity(key)
      if let place = places.updateValue(entries.count, forKey: identity) {
        entries[place].value = value
        places[identity] = place
      } else {
        entries.append((key, value))
      }
    }
    return entries
  }

  // MARK: Oneofs

  /// The member of a oneof that is set: the last one in file order.
  struct Member {
    let number: Int
    fileprivate let outer: Message
    fileprivate let field: Field
    fileprivate let pieces: Pieces

    func int32() throws -> Int32 { try outer.int32(field) }
    func int64() throws -> Int64 { try outer.int64(field) }
    func bool() throws -> Bool { try outer.bool(field) }
    func float() throws -> Float { try outer.float(field) }
    func double() throws -> Double { try outer.double(field) }
    func string() throws -> String { try outer.string(field) }
    func bytes() throws -> Bytes { try outer.bytes(field) }
    func message() throws -> Message {
      guard let message = try pieces.message(in: outer) else { throw outer.wrongType(field, "a length and bytes") }
      return message
    }
  }

  /// The set member of the oneof with these field numbers, which must ascend. For a message member, occurrences before
  /// another member was set are ignored.
  func member(of numbers: [Int]) throws -> Member? {
    var last: Field?
    var pieces = Pieces()
    try scan(where: numbers.holds) { field in
      if let before = last, before.number != field.number { pieces = Pieces() }
      if case .range(let range) = field.value { pieces.add(range) }
      last = field
    }
    return last.map { Member(number: $0.number, outer: self, field: $0, pieces: pieces) }
  }

  /// The member with this number, if it is set.
  func member(_ number: Int, of numbers: [Int]) throws -> Member? {
    guard let member = try member(of: numbers), member.number == number else { return nil }
    return member
  }

  /// The message of the member with this number, if it is set.
  func message(_ number: Int, of numbers: [Int]) throws -> Message? { try member(number, of: numbers)?.message() }
}

extension Dictionary {
  /// A dictionary of entries with distinct keys.
  init(entries: [(key: Key, value: Value)]) {
    self.init(entries.lazy.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
  }
}

extension [Int] {
  /// Whether these ascending numbers contain `number`.
  fileprivate func holds(_ field: UInt64) -> Bool {
    let number = Int(field)
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] == number { return true }
      if self[middle] < number { low = middle + 1 } else { high = middle }
    }
    return false
  }
}
