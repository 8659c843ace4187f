import CoreMLRuntime
import Foundation

/// The JSON of conformance cases: `{"name": {"type": "double" | "int64" | "string" | "dictionary" | "image" |
/// "sequence" | "list_int", ...}}`.
public enum ConformanceJSON {
  public static func read(_ path: String) throws -> [String: [String: Any]] {
    guard case .object(let features) = try JSONValue(file: path) else {
      throw FeatureFileError(.invalid, "\(path) is no object of typed values")
    }
    return try features.mapValues { feature in
      guard case .object(let fields) = feature else {
        throw FeatureFileError(.invalid, "\(path) is no object of typed values")
      }
      return fields.mapValues(plain)
    }
  }

  private static func plain(_ value: JSONValue) -> Any {
    switch value {
    case .null: NSNull()
    case .bool(let value): NSNumber(value: value)
    case .integer(let value): NSNumber(value: value)
    case .number(let value): NSNumber(value: value)
    case .string(let text): text
    case .numbers(let values): values.map { NSNumber(value: $0) as Any }
    case .integers(let values): values.map { NSNumber(value: $0) as Any }
    case .array(let values): values.map(plain)
    case .object(let fields): fields.mapValues(plain)
    }
  }

  /// A value as a feature of the declared type.
  ///
  /// - Parameter images: Where the images are that the value names.
  public static func feature(
    _ json: [String: Any], _ description: MLFeatureDescription, images: ImageSource
  ) throws -> MLFeatureValue {
    let name = description.name
    func bad(_ sentence: String) -> FeatureFileError { FeatureFileError(.invalid, "the feature '\(name)' \(sentence)") }
    let value = json["value"]
    switch json["type"] as? String {
    case "double":
      if description.type == .int64, let integer = integer(value) { return MLFeatureValue(int64: integer) }
      return MLFeatureValue(double: try number(value, bad))
    case "int64":
      if description.type == .double { return MLFeatureValue(double: try number(value, bad)) }
      guard let integer = integer(value) else { throw bad("is no integer of 64 bits") }
      return MLFeatureValue(int64: integer)
    case "string":
      guard let text = value as? String else { throw bad("is no string") }
      return MLFeatureValue(string: text)
    case "dictionary": return try dictionary(value, json["keyType"] as? String, description, bad)
    case "sequence", "list_int": return try sequence(value, json["type"] as? String, description, bad)
    case "image": return try ImageFiles.feature(json, description, images: images)
    default: throw bad("has the unknown type '\(json["type"] ?? "")'")
    }
  }

  private static func number(_ value: Any?, _ bad: (String) -> FeatureFileError) throws -> Double {
    switch value {
    case let number as NSNumber: return number.doubleValue
    case let text as String:
      guard let number = Double(text) else { throw bad("is no number") }
      return number
    default: throw bad("is no number")
    }
  }

  /// The exact integer value of a number or of its text; nil if it is not an integer.
  private static func integer(_ value: Any?) -> Int64? {
    switch value {
    case let number as NSNumber: JSONValue.exactly(number)
    case let text as String: Int64(text) ?? Double(text).flatMap { JSONValue.number($0).int64 }
    default: nil
    }
  }

  private static func dictionary(
    _ value: Any?, _ keyType: String?, _ description: MLFeatureDescription, _ bad: (String) -> FeatureFileError
  ) throws -> MLFeatureValue {
    guard let pairs = value as? [[Any]] else { throw bad("is no list of pairs") }
    var result: [AnyHashable: NSNumber] = [:]
    for pair in pairs {
      guard pair.count == 2 else { throw bad("has an entry that is no pair") }
      let number = NSNumber(value: try self.number(pair[1], bad))
      let key: AnyHashable
      if let text = pair[0] as? String {
        key = AnyHashable(text)
      } else if let integer = integer(pair[0]) {
        key = AnyHashable(integer)
      } else {
        throw bad("has a key that is neither a string nor an integer of 64 bits")
      }
      guard result.updateValue(number, forKey: key) == nil else { throw bad("has the key '\(key)' twice") }
    }
    return try MLFeatureValue(dictionary: result)
  }

  private static func sequence(
    _ value: Any?, _ type: String?, _ description: MLFeatureDescription, _ bad: (String) -> FeatureFileError
  ) throws -> MLFeatureValue {
    guard let items = value as? [Any] else { throw bad("is no list") }
    if description.type == .multiArray {
      let numbers = try items.map { try number($0, bad) }
      let bytes = numbers.flatMap { number in withUnsafeBytes(of: number) { Array($0) } }
      return try FeatureConversion.feature(NPYArray(.float64, shape: [numbers.count], bytes: bytes), description)
    }
    if let strings = items as? [String] { return MLFeatureValue(sequence: MLSequence(strings: strings)) }
    return MLFeatureValue(
      sequence: MLSequence(
        int64s: try items.map { item in
          guard let integer = integer(item) else { throw bad("has an item that is no integer of 64 bits") }
          return NSNumber(value: integer)
        }))
  }

  /// An output feature in the same format. Nil for arrays and images, which are written to an `.npz`.
  public static func json(_ value: MLFeatureValue) -> [String: Any]? {
    switch value.type {
    case .int64: return ["type": "int64", "value": value.int64Value]
    case .double: return ["type": "double", "value": finite(value.doubleValue)]
    case .string: return ["type": "string", "value": value.stringValue]
    case .dictionary:
      // In the order of the keys, so that outputs compare byte by byte.
      let pairs = value.dictionaryValue.sorted { isBefore($0.key, $1.key) }.map { key, number -> [Any] in
        [
          (key.base as? String).map { $0 as Any } ?? (key.base as? Int64).map { $0 as Any } ?? "\(key.base)",
          finite(number.doubleValue),
        ]
      }
      return ["type": "dictionary", "value": pairs]
    case .sequence:
      guard let sequence = value.sequenceValue else { return nil }
      return [
        "type": "sequence",
        "value": sequence.type == .string ? sequence.stringValues as [Any] : sequence.int64Values as [Any],
      ]
    default: return nil
    }
  }

  private static func isBefore(_ one: AnyHashable, _ other: AnyHashable) -> Bool {
    if let one = one.base as? Int64, let other = other.base as? Int64 { return one < other }
    return "\(one.base)".utf8.lexicographicallyPrecedes("\(other.base)".utf8)
  }

  /// JSON cannot represent NaN and infinities, so they become strings.
  private static func finite(_ number: Double) -> Any { number.isFinite ? number as Any : "\(number)" as Any }
}
