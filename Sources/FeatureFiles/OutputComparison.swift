import CoreMLRuntime
import Foundation

/// Compares outputs with expected ones, output by output: |found - expected| <= atol + rtol * |expected| everywhere.
public struct OutputComparison: Sendable {
  public let rtol: Double
  public let atol: Double

  public init(rtol: Double, atol: Double) {
    self.rtol = rtol
    self.atol = atol
  }

  /// What one output came to. In JSON, numbers that are none or infinite are null.
  public struct Line: Encodable, Sendable {
    public let row: String?
    public let output: String
    public let passed: Bool
    public let maxAbs: Double?
    public let maxRel: Double?
    /// Peak signal-to-noise ratio in dB; the peak is the largest expected magnitude. Infinite where all is equal.
    public let psnr: Double?
    public let note: String?

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

  /// Expected features in a file: `.npz` or `.json`, by name.
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

  /// An array as JSON has it.
  public static func value(_ array: NPYArray) -> JSONValue {
    .object([
      "shape": .numbers(array.shape.map(Double.init)), "dataType": .string("double"), "data": .numbers(array.doubles),
    ])
  }

  /// A line for every expected output, in the order of their names.
  public func lines(of result: any MLFeatureProvider, row: String?, expected: [String: JSONValue]) throws -> [Line] {
    try expected.sorted { $0.key < $1.key }.map { name, value in
      func line(_ passed: Bool, _ note: String? = nil) -> Line {
        Line(row: row, output: name, passed: passed, maxAbs: nil, maxRel: nil, psnr: nil, note: note)
      }
      guard let found = result.featureValue(for: name) else { return line(false, "the model has no such output") }
      switch found.type {
      case .string:
        guard case .string(let text) = value else { return line(false, "not a string") }
        return line(
          text == found.stringValue, text == found.stringValue ? nil : "'\(found.stringValue)', expected '\(text)'")
      case .dictionary:
        guard case .object(let members) = value else { return line(false, "not a dictionary") }
        let pairs = Dictionary(uniqueKeysWithValues: FeatureJSONWriter.sorted(found.dictionaryValue))
        guard Set(pairs.keys) == Set(members.keys) else { return line(false, "the keys differ") }
        let keys = pairs.keys.sorted()
        return numbers(name, row, keys.map { pairs[$0] ?? .nan }, keys.map { members[$0]?.double ?? .nan })
      case .sequence:
        let items = found.sequenceValue?.int64Values.map(\.doubleValue) ?? []
        if case .array(let expected) = value {
          let strings = expected.compactMap { if case .string(let text) = $0 { text } else { nil } }
          return line(strings == found.sequenceValue?.stringValues ?? [])
        }
        guard case .numbers(let expected) = value, expected.count == items.count else {
          return line(false, "the lengths differ")
        }
        return numbers(name, row, items, expected)
      default:
        guard let array = Self.array(found) else { return line(false, "not comparable") }
        let wanted = try FeatureJSON.array(value, name)
        guard Self.squeezed(array.shape) == Self.squeezed(wanted.shape) else {
          return line(false, "the shape is \(array.shape), expected \(wanted.shape)")
        }
        return numbers(name, row, array.doubles, wanted.doubles)
      }
    }
  }

  /// The numbers of an output; nil where it holds none.
  public static func array(_ value: MLFeatureValue) -> NPYArray? {
    if let array = value.multiArrayValue { return FeatureConversion.array(array) }
    if let image = value.imageBufferValue { return ImageFiles.array(image) }
    let number = value.type == .int64 ? Double(value.int64Value) : value.doubleValue
    return value.isUndefined ? nil : NPYArray(.float64, shape: [], bytes: withUnsafeBytes(of: number) { Array($0) })
  }

  private static func squeezed(_ shape: [Int]) -> [Int] { shape.filter { $0 != 1 } }

  private func numbers(_ name: String, _ row: String?, _ found: [Double], _ expected: [Double]) -> Line {
    var (maxAbs, maxRel, squares, peak) = (0.0, 0.0, 0.0, 0.0)
    var passed = true
    var odd = 0
    for (a, e) in zip(found, expected) where !(a == e || (a.isNaN && e.isNaN)) {
      let difference = abs(a - e)
      if !difference.isFinite { odd += 1 }
      maxAbs = max(maxAbs, difference.isNaN ? .infinity : difference)
      maxRel = max(maxRel, difference.isNaN ? .infinity : difference / max(abs(e), .leastNormalMagnitude))
      squares += difference * difference
      if !(difference <= atol + rtol * abs(e)) { passed = false }
    }
    for e in expected where e.isFinite { peak = max(peak, abs(e)) }
    let mean = squares / Double(max(expected.count, 1))
    let psnr = mean == 0 ? Double.infinity : mean.isFinite ? 10 * log10(peak * peak / mean) : nil
    let note = odd > 0 ? "\(odd) of \(expected.count) elements are not finite on one side alone" : nil
    return Line(row: row, output: name, passed: passed, maxAbs: maxAbs, maxRel: maxRel, psnr: psnr, note: note)
  }
}
