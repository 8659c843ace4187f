import CoreMLBase
import CoreMLSpec
import SpecDump

/// A message that is decomposed into the fields of the specification, mutated, and encoded again with correct lengths.
/// A byte-level fuzzer hardly ever achieves this below the first level.
struct MessageTree {
  indirect enum Value {
    case varint(UInt64)
    case fixed32(UInt32)
    case fixed64(UInt64)
    case bytes([UInt8])
    case message(MessageTree)
  }

  let type: String
  var fields: [(number: Int, value: Value)] = []

  /// Decodes the message's fields up to the first damaged one.
  init(_ type: String, _ bytes: Bytes, depth: Int = 0) {
    self.type = type
    let message = Message(bytes)
    var cursor = message.fields
    while let field = try? cursor.next() {
      switch field.value {
      case .varint(let value): fields.append((field.number, .varint(value)))
      case .fixed32(let value): fields.append((field.number, .fixed32(value)))
      case .fixed64(let value): fields.append((field.number, .fixed64(value)))
      case .range(let range):
        guard let inside = try? bytes.slice(range) else { continue }
        if depth < 20, let inner = MessageFields.types[type]?[field.number] {
          fields.append((field.number, .message(MessageTree(inner, inside, depth: depth + 1))))
        } else {
          fields.append((field.number, .bytes(inside.array)))
        }
      }
    }
  }

  func write(to writer: inout WireWriter) {
    for (number, value) in fields {
      switch value {
      case .varint(let value): writer.append(number, uint: value)
      case .fixed32(let value): writer.append(number, float: Float(bitPattern: value))
      case .fixed64(let value): writer.append(number, double: Double(bitPattern: value))
      case .bytes(let bytes): writer.append(number, bytes: bytes)
      case .message(let message): writer.append(number) { message.write(to: &$0) }
      }
    }
  }

  // MARK: mutation

  /// The number of fields, including those of nested messages.
  var count: Int {
    fields.reduce(0) { sum, field in
      if case .message(let message) = field.value { return sum + 1 + message.count }
      return sum + 1
    }
  }

  /// Collects all messages by type.
  func collect(into found: inout [String: [MessageTree]]) {
    found[type, default: []].append(self)
    for case .message(let message) in fields.map(\.value) { message.collect(into: &found) }
  }

  /// Mutates the field at a position in the order of `count`, or adds or removes a field next to it. `change` mutates
  /// the bytes of a field.
  mutating func mutate(
    at place: Int, _ all: [String: [MessageTree]], _ dice: inout some RandomNumberGenerator,
    _ change: ([UInt8]) -> [UInt8]
  ) {
    var place = place
    for index in fields.indices {
      if place == 0 { return alter(index, all, &dice, change) }
      place -= 1
      guard case .message(var message) = fields[index].value else { continue }
      let inside = message.count
      if place < inside {
        message.mutate(at: place, all, &dice, change)
        fields[index].value = .message(message)
        return
      }
      place -= inside
    }
    add(&dice)
  }

  private mutating func alter(
    _ index: Int, _ all: [String: [MessageTree]], _ dice: inout some RandomNumberGenerator,
    _ change: ([UInt8]) -> [UInt8]
  ) {
    switch Int.random(in: 0..<10, using: &dice) {
    case 0: fields.remove(at: index)
    case 1: fields.insert(fields[index], at: index)
    case 2: fields.swapAt(index, Int.random(in: 0..<fields.count, using: &dice))
    case 3: add(&dice)
    default: fields[index].value = altered(fields[index].value, all, &dice, change)
    }
  }

  private func altered(
    _ value: Value, _ all: [String: [MessageTree]], _ dice: inout some RandomNumberGenerator,
    _ change: ([UInt8]) -> [UInt8]
  ) -> Value {
    switch value {
    case .varint(let number):
      let few = [0, 1, 2, 3, 4, 5, 10, 100, 255, 65536, UInt64(Int32.max), UInt64(Int64.max), .max, .max - 1]
      return .varint(
        Bool.random(using: &dice)
          ? few[Int.random(in: 0..<few.count, using: &dice)]
          : number &+ UInt64.random(in: 0..<5, using: &dice) &- 2)
    case .fixed32(let bits): return .fixed32(bits ^ 1 << UInt32.random(in: 0..<32, using: &dice))
    case .fixed64(let bits): return .fixed64(bits ^ 1 << UInt64.random(in: 0..<64, using: &dice))
    case .bytes(let bytes): return .bytes(change(bytes))
    case .message(var message):
      if let others = all[message.type], Bool.random(using: &dice) {
        return .message(others[Int.random(in: 0..<others.count, using: &dice)])
      }
      message.add(&dice)
      return .message(message)
    }
  }

  /// Adds a field: a message that the type allows, or a small number.
  private mutating func add(_ dice: inout some RandomNumberGenerator) {
    let place = Int.random(in: 0...fields.count, using: &dice)
    if let types = MessageFields.types[type], Bool.random(using: &dice) {
      let (number, inner) = types.sorted { $0.key < $1.key }[Int.random(in: 0..<types.count, using: &dice)]
      fields.insert((number, .message(MessageTree(inner, Bytes()))), at: place)
    } else {
      let number = Int.random(in: 1..<(Bool.random(using: &dice) ? 8 : 64), using: &dice)
      fields.insert((number, .varint(UInt64.random(in: 0..<4, using: &dice))), at: place)
    }
  }
}
