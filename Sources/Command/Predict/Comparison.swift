import CoreML
import FeatureFiles
import Foundation

/// Compares outputs with expected ones through `OutputComparison`, and reports the result.
struct Comparison {
  let rtol: Double
  let atol: Double

  typealias Line = OutputComparison.Line

  private struct Report: Encodable {
    let passed: Bool
    let outputs: [Line]
  }

  /// Prints the comparison. Throws `Failure.negative` if anything is out of tolerance.
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

  /// The expected features: `.npz` and `.json` by name. For a row of a folder they are `<row>.npz`, `<row>.json` and
  /// pictures.
  func expected(_ path: String, row: String?, pictures: [String: JSONValue] = [:]) throws -> [String: JSONValue] {
    let files =
      row.map { name in ["npz", "json"].map { "\(path)/\(name).\($0)" }.filter(FileManager.default.fileExists) } ?? [
        path
      ]
    guard !files.isEmpty || !pictures.isEmpty else {
      throw Failure(.io, "\(path): expected \(row ?? "").npz or .json, found neither")
    }
    var expected = pictures
    for file in files {
      guard ["npz", "json"].contains(URL(filePath: file).pathExtension.lowercased()) else {
        throw Failure(.usage, "--compare \(file): expected .npz or .json")
      }
      expected.merge(try OutputComparison.expected(file)) { $1 }
    }
    return expected
  }

  func lines(of result: any MLFeatureProvider, row: String?, expected: [String: JSONValue]) throws -> [Line] {
    try OutputComparison(rtol: rtol, atol: atol).lines(of: result, row: row, expected: expected)
  }

  /// The lines of a failed row: it differs in every expected output. A recorded failure is not an output.
  func lines(failure sentence: String, row: String?, expected: [String: JSONValue]) -> [Line] {
    expected.keys.filter { $0 != "error" }.sorted().map {
      Line(failed: $0, row: row, note: "the row failed: \(sentence)")
    }
  }

  /// max |found - expected| / max |expected| over all outputs.
  func relativeError(of result: any MLFeatureProvider, against path: String) throws -> Double {
    try expected(path, row: nil).map { name, value in
      guard let found = result.featureValue(for: name), let array = OutputComparison.array(found) else {
        throw Failure(.data, "\(path): the model has no array output '\(name)'")
      }
      let wanted = try FeatureJSON.array(value, name).doubles
      let given = array.doubles
      guard given.count == wanted.count else {
        throw Failure(.data, "\(path): '\(name)' has \(wanted.count) elements, the model gives \(given.count)")
      }
      let peak = wanted.reduce(0) { $1.isFinite ? max($0, abs($1)) : $0 }
      var worst = 0.0
      for (a, e) in zip(given, wanted) where !(a == e || (a.isNaN && e.isNaN)) {
        worst = max(worst, (a - e).isNaN ? .infinity : abs(a - e))
      }
      return peak > 0 ? worst / peak : worst
    }.max() ?? 0
  }
}
