import CoreML
import FeatureFiles
import Foundation

/// Compares outputs with expected ones, output by output: |found - expected| <= atol + rtol * |expected| everywhere.
struct Comparison {
  let rtol: Double
  let atol: Double

  struct Line: Encodable {
    let row: String?
    let output: String
    let passed: Bool
    let maxAbs: Double?
    let maxRel: Double?
    /// Peak signal-to-noise ratio in dB; the peak is the largest expected magnitude.
    let psnr: Double?
    let note: String?
  }

  private struct Report: Encodable {
    let passed: Bool
    let outputs: [Line]
  }

  /// Prints the comparison; throws `Failure.negative` when anything is out of tolerance.
  func check(_ rows: [(name: String, result: any MLFeatureProvider)], against path: String, isFolder: Bool, json: Bool)
    throws
  {
    var lines: [Line] = []
    for (name, result) in rows {
      lines += try self.lines(
        of: result, row: isFolder ? name : nil, expected: expected(path, row: isFolder ? name : nil))
    }
    try report(lines, json: json)
  }

  func report(_ lines: [Line], json: Bool) throws {
    let passed = lines.allSatisfy(\.passed) && !lines.isEmpty
    if json || !Console.outputIsTerminal {
      try Console.say(json: Report(passed: passed, outputs: lines))
    } else {
      func number(_ value: Double?) -> String { value.map { String(format: "%.3g", $0) } ?? "" }
      var table = [["OUTPUT", "", "MAX ABS", "MAX REL", "PSNR", ""]]
      for line in lines {
        let name = [line.row, line.output].compactMap { $0 }.joined(separator: " ")
        table.append([
          name, line.passed ? "ok" : "differs", number(line.maxAbs), number(line.maxRel), number(line.psnr),
          line.note ?? "",
        ])
      }
      Console.say(Console.table(table, rightAligned: [2, 3, 4]))
    }
    guard passed else { throw Failure.negative }
  }

  /// The expected features: `.npz` and `.json` by name, for a row of a folder `<row>.npz` and `<row>.json`.
  func expected(_ path: String, row: String?) throws -> [String: JSONValue] {
    let files =
      row.map { name in ["npz", "json"].map { "\(path)/\(name).\($0)" }.filter(FileManager.default.fileExists) } ?? [
        path
      ]
    guard !files.isEmpty else { throw Failure(.io, "\(path): expected \(row ?? "").npz or .json, found neither") }
    var expected: [String: JSONValue] = [:]
    for file in files {
      switch URL(filePath: file).pathExtension.lowercased() {
      case "npz":
        for (name, array) in try NPZ.read(file) {
          expected[name] = .object([
            "shape": .numbers(array.shape.map(Double.init)), "dataType": .string("double"),
            "data": .numbers(array.doubles),
          ])
        }
      case "json":
        guard case .object(let members) = try JSONValue(file: file) else {
          throw Failure(.data, "\(file): expected an object, feature -> value")
        }
        expected.merge(members) { $1 }
      default: throw Failure(.usage, "--compare \(file): expected .npz or .json")
      }
    }
    return expected
  }

  func lines(of result: any MLFeatureProvider, row: String?, expected: [String: JSONValue]) throws -> [Line] {
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

  private static func array(_ value: MLFeatureValue) -> NPYArray? {
    if let array = value.multiArrayValue { return FeatureConversion.array(array) }
    if let image = value.imageBufferValue { return ImageFiles.array(image) }
    let number = value.type == .int64 ? Double(value.int64Value) : value.doubleValue
    return value.isUndefined ? nil : NPYArray(.float64, shape: [], bytes: withUnsafeBytes(of: number) { Array($0) })
  }

  private static func squeezed(_ shape: [Int]) -> [Int] { shape.filter { $0 != 1 } }

  private func numbers(_ name: String, _ row: String?, _ found: [Double], _ expected: [Double]) -> Line {
    var (maxAbs, maxRel, squares, peak) = (0.0, 0.0, 0.0, 0.0)
    var passed = true
    for (a, e) in zip(found, expected) where !(a == e || (a.isNaN && e.isNaN)) {
      let difference = abs(a - e)
      maxAbs = max(maxAbs, difference.isNaN ? .infinity : difference)
      maxRel = max(maxRel, difference.isNaN ? .infinity : difference / max(abs(e), .leastNormalMagnitude))
      squares += difference * difference
      if !(difference <= atol + rtol * abs(e)) { passed = false }
    }
    for e in expected where e.isFinite { peak = max(peak, abs(e)) }
    let mean = squares / Double(max(expected.count, 1))
    let psnr = mean > 0 ? 10 * log10(peak * peak / mean) : Double.infinity
    return Line(row: row, output: name, passed: passed, maxAbs: maxAbs, maxRel: maxRel, psnr: psnr, note: nil)
  }

  /// max |found - expected| / max |expected| over all outputs.
  func relativeError(of result: any MLFeatureProvider, against path: String) throws -> Double {
    try expected(path, row: nil).map { name, value in
      guard let found = result.featureValue(for: name), let array = Self.array(found) else {
        throw Failure(.data, "\(path): the model has no array output '\(name)'")
      }
      let wanted = try FeatureJSON.array(value, name).doubles
      let given = array.doubles
      guard given.count == wanted.count else {
        throw Failure(.data, "\(path): '\(name)' has \(wanted.count) elements, the model gives \(given.count)")
      }
      let peak = wanted.reduce(0) { max($0, abs($1)) }
      let worst = zip(given, wanted).reduce(0.0) {
        max($0, ($1.0 - $1.1).magnitude.isNaN ? .infinity : abs($1.0 - $1.1))
      }
      return peak > 0 ? worst / peak : worst
    }.max() ?? 0
  }
}
