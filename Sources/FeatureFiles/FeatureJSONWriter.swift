import CoreMLRuntime
import Foundation

/// Writes features as JSON that parses to the same features. Every number round-trips. NaN and infinities are strings,
/// since JSON cannot represent them.
public struct FeatureJSONWriter {
  /// The output in UTF-8.
  package private(set) var bytes: [UInt8] = []
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  public init() {}

  /// A member of an object that is not a feature of the model.
  public typealias Member = (name: String, value: MLFeatureValue)

  /// Writes an object with `members`, followed by the features in the order of their names. `keep` limits dictionaries
  /// to their largest values.
  public mutating func row(
    _ features: any MLFeatureProvider, names: [String]? = nil, keep: Int? = nil, after members: [Member] = []
  ) {
    let named = (names ?? features.featureNames.sorted()).compactMap { name in
      features.featureValue(for: name).map { (name: name, value: $0) }
    }
    object(members + named, keep: keep)
  }

  /// Writes the object for a row that failed.
  public mutating func failure(_ sentence: String, after members: [Member] = []) {
    object(members + [("error", MLFeatureValue(string: sentence))])
  }

  private mutating func object(_ members: [Member], keep: Int? = nil) {
    append("{")
    for (place, member) in members.enumerated() {
      if place > 0 { append(", ") }
      string(member.name)
      append(": ")
      value(member.value, keep: keep)
    }
    append("}")
  }

  private mutating func append(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  public mutating func value(_ value: MLFeatureValue, keep: Int? = nil) {
    guard !value.isUndefined else {
      append("null")
      return
    }
    switch value.type {
    case .int64: number(value.int64Value)
    case .double: number(value.doubleValue)
    case .string: string(value.stringValue)
    case .dictionary: dictionary(value.dictionaryValue, keep: keep)
    case .sequence:
      guard let sequence = value.sequenceValue else { break }
      list(sequence.type == .string ? sequence.stringValues.count : sequence.int64Values.count) { writer, index in
        if sequence.type == .string {
          writer.string(sequence.stringValues[index])
        } else {
          writer.number(sequence.int64Values[index].int64Value)
        }
      }
    case .multiArray: if let array = value.multiArrayValue { self.array(FeatureConversion.array(array)) }
    case .image: if let image = value.imageBufferValue { self.array(ImageFiles.array(image)) }
    case .invalid, .state: append("null")
    }
  }

  /// Sorted by descending value with NaN last. Equal values are sorted by key.
  public static func sorted(_ dictionary: [AnyHashable: NSNumber]) -> [(key: String, value: Double)] {
    func isLarger(_ a: Double, _ b: Double) -> Bool { a > b || (b.isNaN && !a.isNaN) }
    return dictionary.map { ("\($0.key.base)", $0.value.doubleValue) }
      .sorted { isLarger($0.1, $1.1) || (!isLarger($1.1, $0.1) && $0.0 < $1.0) }
  }

  private mutating func dictionary(_ value: [AnyHashable: NSNumber], keep: Int?) {
    var pairs = Self.sorted(value)
    if let keep { pairs = Array(pairs.prefix(keep)) }
    append("{")
    for (place, pair) in pairs.enumerated() {
      if place > 0 { append(", ") }
      string(pair.key)
      append(": ")
      number(pair.value)
    }
    append("}")
  }

  private mutating func array(_ array: NPYArray) {
    append("{\"shape\": ")
    list(array.shape.count) { $0.number(Int64(array.shape[$1])) }
    append(", \"dataType\": ")
    string(Self.name(array.element))
    append(", \"data\": ")
    switch array.element {
    case .float64: elements(array, Double.self) { $0.append(list: $1) }
    case .float32: elements(array, Float.self) { $0.append(list: $1) }
    case .int32: elements(array, Int32.self) { $0.append(list: $1) }
    default:
      let values = array.doubles
      list(values.count) { writer, index in
        array.element == .float16 ? writer.number(Float(values[index])) : writer.number(Int64(values[index]))
      }
    }
    append("}")
  }

  /// A list of the elements in memory order.
  private mutating func elements<Number: BitwiseCopyable>(
    _ array: NPYArray, _: Number.Type, _ write: (inout [UInt8], UnsafeBufferPointer<Number>) -> Void
  ) {
    bytes.append(0x5B)
    array.bytes.withUnsafeBytes { write(&bytes, $0.bindMemory(to: Number.self)) }
    bytes.append(0x5D)
  }

  private static func name(_ element: NPYArray.Element) -> String {
    switch element {
    case .float64: "double"
    case .float32: "float32"
    case .float16: "float16"
    case .int8: "int8"
    default: "int32"
    }
  }

  private mutating func list(_ count: Int, _ item: (inout FeatureJSONWriter, Int) -> Void) {
    append("[")
    for index in 0..<count {
      if index > 0 { append(", ") }
      item(&self, index)
    }
    append("]")
  }

  private mutating func number(_ value: Int64) { bytes.append(number: value) }
  private mutating func number(_ value: Double) { bytes.append(number: value, quoted: true) }
  private mutating func number(_ value: Float) { bytes.append(number: value, quoted: true) }

  public mutating func string(_ value: String) { bytes.append(quoted: value) }
}
