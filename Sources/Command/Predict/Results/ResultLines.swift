import CoreML
import FeatureFiles

/// How a file with a line for each row spells results.
protocol ResultLines {
  /// What stands before the rows.
  var header: String? { get }
  /// Whether a line's end within quotes is part of a cell.
  var isQuoted: Bool { get }
  func line(_ result: any MLFeatureProvider, at place: Int) throws -> String
  func line(failure: String, at place: Int) throws -> String
}

/// `.jsonl`: an object a line.
struct ObjectLines: ResultLines {
  let batch: BatchSink.Batch
  var header: String? { nil }
  var isQuoted: Bool { false }
  func line(_ result: any MLFeatureProvider, at place: Int) -> String { batch.line(result, at: place) }
  func line(failure: String, at place: Int) -> String { batch.line(failure: failure, at: place) }
}

/// `.csv` (RFC 4180) and `.tsv`: the row's name, what is repeated of it and the outputs, by name, with their titles in the first line. Cells are
/// as `--batch` reads them: texts and numbers as they are, all else as JSON; an output that a row does not have is an empty cell.
struct TableLines: ResultLines {
  private let batch: BatchSink.Batch
  private let separator: Unicode.Scalar
  private let outputs: [String]
  /// The column of what went wrong; nil where rows that fail have no place.
  private let failure: String?

  init(_ batch: BatchSink.Batch, separator: Unicode.Scalar, path: String) throws {
    (self.batch, self.separator) = (batch, separator)
    outputs = batch.outputs.keys.sorted()
    if let image = outputs.first(where: { batch.outputs[$0]?.type == .image }) {
      throw Failure(.usage, "--output \(path): a table holds no pictures, and '\(image)' is one; a folder holds them")
    }
    var title = "error"
    while outputs.contains(title) { title = "_" + title }
    failure = batch.recordsFailures ? title : nil
  }

  var isQuoted: Bool { true }
  var header: String? { spelled([batch.key] + batch.kept + outputs + (failure.map { [$0] } ?? [])) }

  func line(_ result: any MLFeatureProvider, at place: Int) -> String {
    let cells = outputs.map { name in result.featureValue(for: name).map(cell) ?? "" }
    return spelled(before(place) + cells + (failure == nil ? [] : [""]))
  }

  func line(failure: String, at place: Int) -> String {
    spelled(before(place) + outputs.map { _ in "" } + [failure])
  }

  private func before(_ place: Int) -> [String] { batch.members(place).map { cell($0.value) } }

  private func cell(_ value: MLFeatureValue) -> String {
    if value.isUndefined { return "" }
    if value.type == .string { return value.stringValue }
    // One number in an array is a number.
    if value.type == .multiArray, let array = value.multiArrayValue, array.count == 1 {
      return cell(MLFeatureValue(double: array[0].doubleValue), shortest: array)
    }
    var writer = FeatureJSONWriter()
    writer.value(value, keep: batch.keep)
    return writer.text
  }

  /// The fewest digits that give the number of an array back.
  private func cell(_ value: MLFeatureValue, shortest array: MLMultiArray) -> String {
    switch array.dataType {
    case .int32, .int8: return "\(array[0].intValue)"
    case .float32, .float16: return value.doubleValue.isFinite ? "\(array[0].floatValue)" : cell(value)
    case .double: return cell(value)
    }
  }

  /// Quoted where the text would otherwise be more than one cell, or begin as a quoted one does.
  private func spelled(_ cells: [String]) -> String {
    cells.map { cell in
      guard cell.unicodeScalars.contains(where: { ["\"", "\n", "\r", separator].contains($0) }) else { return cell }
      // Scalar by scalar: a quote may have an accent.
      var quoted = "\""
      for scalar in cell.unicodeScalars {
        if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
        quoted.unicodeScalars.append(scalar)
      }
      return quoted + "\""
    }.joined(separator: String(separator))
  }
}
