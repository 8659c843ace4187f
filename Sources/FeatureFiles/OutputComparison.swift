import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import Foundation

/// Compares outputs with expected ones: |found - expected| <= atol + rtol * |expected| for each element.
///
/// An infinity equals only the infinity of the same sign, and NaN equals only NaN, whatever the tolerance. Strings and
/// dictionary keys are equal if their bytes are. 64-bit integers are compared exactly.
public struct OutputComparison: Sendable {
  public let rtol: Double
  public let atol: Double

  public init(rtol: Double, atol: Double) {
    self.rtol = rtol
    self.atol = atol
  }

  /// The result for one output. In JSON, NaN and infinities are null.
  public struct Line: Encodable, Sendable {
    public let row: String?
    public let output: String
    public let passed: Bool
    public let maxAbs: Double?
    public let maxRel: Double?
    /// Peak signal-to-noise ratio in dB. The peak is the largest expected magnitude. Infinite if all elements are
    /// equal.
    public let psnr: Double?
    public let note: String?

    /// The result for an output that is missing since its row failed.
    public init(failed output: String, row: String?, note: String) {
      (self.row, self.output, passed, self.note) = (row, output, false, note)
      (maxAbs, maxRel, psnr) = (nil, nil, nil)
    }

    init(
      row: String?, output: String, passed: Bool, maxAbs: Double?, maxRel: Double?, psnr: Double?, note: String?
    ) {
      (self.row, self.output, self.passed, self.note) = (row, output, passed, note)
      (self.maxAbs, self.maxRel, self.psnr) = (maxAbs, maxRel, psnr)
    }

    private enum CodingKeys: String, CodingKey { case row, output, passed, maxAbs, maxRel, psnr, note }

    public func encode(to encoder: any Encoder) throws {
      var fields = encoder.container(keyedBy: CodingKeys.self)
      try fields.encodeIfPresent(row, forKey: .row)
      try fields.encode(output, forKey: .output)
      try fields.encode(passed, forKey: .passed)
      for (key, value) in [(CodingKeys.maxAbs, maxAbs), (.maxRel, maxRel), (.psnr, psnr)] {
        guard let value else { continue }
        if value.isFinite { try fields.encode(value, forKey: key) } else { try fields.encodeNil(forKey: key) }
      }
      try fields.encodeIfPresent(note, forKey: .note)
    }
  }

  /// Expected features from an `.npz` or `.json` file, by name.
  ///
  /// - Throws: `FeatureFileError`.
  public static func expected(_ path: String) throws -> [String: JSONValue] {
    switch URL(filePath: path).pathExtension.lowercased() {
    case "npz":
      return try NPZ.read(path).mapValues(value)
    case "json":
      guard case .object(let members) = try JSONValue(file: path) else {
        throw FeatureFileError(.invalid, "\(path): expected an object, feature -> value")
      }
      return members
    default: throw FeatureFileError(.unsupported, "\(path): expected .npz or .json by its name")
    }
  }

  /// An array as a JSON value.
  public static func value(_ array: NPYArray) -> JSONValue {
    let isWide = [.int64, .uint64].contains(array.element) && array.count > 0
    return .object([
      "shape": .numbers(array.shape.map(Double.init)), "dataType": .string("double"),
      "data": (isWide ? array.int64s : nil).map { .integers($0) } ?? .numbers(array.doubles),
    ])
  }

  /// One line for each expected output, sorted by name.
  public func lines(of result: any MLFeatureProvider, row: String?, expected: [String: JSONValue]) throws -> [Line] {
    try expected.sorted { $0.key < $1.key }.map { name, value in
      let found: Found
      if let feature = result.featureValue(for: name) {
        found = try compare(feature, value, name)
      } else {
        found = .differs("the model has no such output")
      }
      return Line(
        row: row, output: name, passed: found.passed, maxAbs: found.maxAbs, maxRel: found.maxRel, psnr: found.psnr,
        note: found.note)
    }
  }

  private func compare(_ found: MLFeatureValue, _ value: JSONValue, _ name: String) throws -> Found {
    if found.isUndefined || value == .null {
      return Found(passed: found.isUndefined && value == .null, note: found.isUndefined ? "no value" : "expected none")
    }
    switch found.type {
    case .string:
      guard case .string(let text) = value else { return .differs("not a string") }
      let isEqual = text.isExactly(found.stringValue)
      return Found(passed: isEqual, note: isEqual ? nil : "'\(found.stringValue)', expected '\(text)'")
    case .dictionary: return dictionary(found.dictionaryValue, value)
    case .sequence: return sequence(found.sequenceValue, value)
    case .int64: return try integers([found.int64Value], value) ?? numbers(found, value, name)
    default: return try numbers(found, value, name)
    }
  }

  private func dictionary(_ found: [AnyHashable: NSNumber], _ value: JSONValue) -> Found {
    guard case .object(let members) = value else { return .differs("not a dictionary") }
    let pairs = FeatureJSONWriter.sorted(found).sorted { ExactText($0.key) < ExactText($1.key) }
    let expected = members.map { (key: ExactText($0.key), value: $0.value) }.sorted { $0.key < $1.key }
    guard pairs.map({ ExactText($0.key) }) == expected.map(\.key) else { return .differs("the keys differ") }
    var numbers: [Double] = []
    for (key, value) in expected {
      guard let number = value.double else { return .differs("\(value.kind) is expected for '\(key)'") }
      numbers.append(number)
    }
    return compare(pairs.map(\.value), numbers)
  }

  private func sequence(_ found: MLSequence?, _ value: JSONValue) -> Found {
    guard let found, value.isList else { return .differs("not a list") }
    if found.type == .string {
      guard case .array(let items) = value else { return .differs("not a list of strings") }
      let texts = items.compactMap(\.text)
      guard texts.count == items.count else { return .differs("not a list of strings") }
      return Found(passed: texts.map(ExactText.init) == found.stringValues.map(ExactText.init))
    }
    if let found = integers(found.int64Values.map(\.int64Value), value) { return found }
    guard let expected = value.doubles, expected.count == found.int64Values.count else {
      return .differs("the lengths differ")
    }
    return compare(found.int64Values.map(\.doubleValue), expected)
  }

  /// Compares integers exactly. Nil if the expected values are not integers, or if their number differs.
  private func integers(_ found: [Int64], _ value: JSONValue) -> Found? {
    var value = value
    if case .object(let members) = value, let data = members["data"] { value = data }
    guard let expected = value.int64.map({ [$0] }) ?? value.int64s, expected.count == found.count else { return nil }
    var comparison = NumberComparison(self)
    for (a, e) in zip(found, expected) where a != e {
      comparison.add(difference: Double((Int128(a) - Int128(e)).magnitude), expected: Double(e))
    }
    return comparison.found(expected.map { Double($0) })
  }

  private func numbers(_ found: MLFeatureValue, _ value: JSONValue, _ name: String) throws -> Found {
    guard let array = Self.array(found) else { return .differs("not comparable") }
    let wanted = try FeatureJSON.array(value, name)
    guard Self.squeezed(array.shape) == Self.squeezed(wanted.shape) else {
      return .differs("the shape is \(array.shape), expected \(wanted.shape)")
    }
    return compare(array.doubles, wanted.doubles)
  }

  private func compare(_ found: [Double], _ expected: [Double]) -> Found {
    var comparison = NumberComparison(self)
    for (a, e) in zip(found, expected) where !(a == e || (a.isNaN && e.isNaN)) {
      comparison.add(difference: abs(a - e), expected: e)
    }
    return comparison.found(expected)
  }

  /// The elements of an output; nil if it has no value.
  public static func array(_ value: MLFeatureValue) -> NPYArray? {
    if let array = value.multiArrayValue { return FeatureConversion.array(array) }
    if let image = value.imageBufferValue { return ImageFiles.array(image) }
    let number = value.type == .int64 ? Double(value.int64Value) : value.doubleValue
    return value.isUndefined ? nil : NPYArray(.float64, shape: [], bytes: withUnsafeBytes(of: number) { Array($0) })
  }

  private static func squeezed(_ shape: [Int]) -> [Int] { shape.filter { $0 != 1 } }
}
