/// A JSON value with strings as UTF-8 bytes.
///
/// Swift compares strings by canonical equivalence, and so do the keys of Foundation's decoders. A vocabulary may have
/// two tokens that are canonically equivalent, such as a CJK compatibility ideograph and its unified ideograph.
enum JSONValue {
  case null
  case bool(Bool)
  case number(Double)
  case string([UInt8])
  case array([JSONValue])
  case object([Member])

  struct Member {
    let key: [UInt8]
    let value: JSONValue
  }

  /// The kind of value, for messages.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a Boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// The value as an integer, if it is one.
  var integer: Int? {
    guard case .number(let number) = self, number.rounded() == number, abs(number) < 1e15 else { return nil }
    return Int(number)
  }
}
