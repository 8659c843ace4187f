import BatchFiles
import CoreML
import CoreMLRuntime
import FeatureFiles

/// The format of a file with one line per row. Lines are added without their newline.
protocol ResultLines {
  /// The line before the rows.
  var header: [UInt8]? { get }
  func append(_ result: any MLFeatureProvider, at place: Int, to bytes: inout [UInt8])
  func append(failure: String, at place: Int, to bytes: inout [UInt8])
  /// Prints the outputs of the rows in a block.
  func printer(_ blocks: TabularBlocks) -> BlockPrinter
  /// Adds the line of a row that is identified by its number, and whose outputs are already printed.
  func append(printed outputs: ArraySlice<UInt8>, at place: Int, to bytes: inout [UInt8])
}

/// `.jsonl`: one object per line.
struct ObjectLines: ResultLines {
  let batch: BatchSink.Batch
  var header: [UInt8]? { nil }

  func append(_ result: any MLFeatureProvider, at place: Int, to bytes: inout [UInt8]) {
    var writer = FeatureJSONWriter()
    writer.row(result, keep: batch.keep, after: batch.members(place))
    bytes.append(contentsOf: writer.bytes)
  }

  func append(failure: String, at place: Int, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: batch.line(failure: failure, at: place).utf8)
  }

  func printer(_ blocks: TabularBlocks) -> BlockPrinter { BlockPrinter(blocks, keep: batch.keep, separator: nil) }

  func append(printed outputs: ArraySlice<UInt8>, at place: Int, to bytes: inout [UInt8]) {
    let row = batch.places[place]
    bytes.append(0x7B)
    bytes.append(quoted: batch.key)
    bytes.append(contentsOf: [0x3A, 0x20])
    bytes.append(number: Int64(row + 1))
    for member in batch.rows.kept(row) {
      bytes.append(contentsOf: [0x2C, 0x20])
      bytes.append(quoted: member.name)
      bytes.append(contentsOf: [0x3A, 0x20])
      bytes.append(quoted: member.value.stringValue)
    }
    bytes.append(contentsOf: outputs)
    bytes.append(0x7D)
  }
}

/// `.csv` (RFC 4180) and `.tsv`: the row's key, the kept columns and the outputs by name, with titles in the first
/// line. Cells have the format that `--batch` reads: texts and numbers are plain, everything else is JSON. An output
/// that a row does not have is an empty cell.
struct TableLines: ResultLines {
  private let batch: BatchSink.Batch
  private let separator: UInt8
  private let outputs: [String]
  /// The title of the error column; nil if failed rows are not recorded.
  private let failure: String?

  init(_ batch: BatchSink.Batch, separator: UInt8, path: String) throws {
    (self.batch, self.separator) = (batch, separator)
    outputs = batch.outputs.keys.sorted()
    if let image = outputs.first(where: { batch.outputs[$0]?.type == .image }) {
      throw Failure(.usage, "--output \(path): a table holds no pictures, and '\(image)' is one; a folder holds them")
    }
    var title = "error"
    while outputs.contains(title) { title = "_" + title }
    failure = batch.recordsFailures ? title : nil
  }

  var header: [UInt8]? {
    var bytes: [UInt8] = []
    let titles = [batch.key] + batch.kept + outputs + (failure.map { [$0] } ?? [])
    append(titles.map { Array($0.utf8) }, to: &bytes)
    return bytes
  }

  func append(_ result: any MLFeatureProvider, at place: Int, to bytes: inout [UInt8]) {
    let cells = outputs.map { name in
      result.featureValue(for: name).map { TableCells.cell($0, keep: batch.keep) } ?? []
    }
    append(before(place) + cells + (failure == nil ? [] : [[]]), to: &bytes)
  }

  func append(failure: String, at place: Int, to bytes: inout [UInt8]) {
    append(before(place) + outputs.map { _ in [] } + [Array(failure.utf8)], to: &bytes)
  }

  func printer(_ blocks: TabularBlocks) -> BlockPrinter { BlockPrinter(blocks, keep: batch.keep, separator: separator) }

  func append(printed outputs: ArraySlice<UInt8>, at place: Int, to bytes: inout [UInt8]) {
    let row = batch.places[place]
    bytes.append(number: Int64(row + 1))
    for member in batch.rows.kept(row) {
      bytes.append(separator)
      let start = bytes.count
      bytes.append(contentsOf: member.value.stringValue.utf8)
      TableCells.quote(from: start, &bytes, separator)
    }
    bytes.append(contentsOf: outputs)
    if failure != nil { bytes.append(separator) }
  }

  private func before(_ place: Int) -> [[UInt8]] { batch.members(place).map { TableCells.cell($0.value) } }

  private func append(_ cells: [[UInt8]], to bytes: inout [UInt8]) {
    for (number, cell) in cells.enumerated() {
      if number > 0 { bytes.append(separator) }
      let start = bytes.count
      bytes.append(contentsOf: cell)
      TableCells.quote(from: start, &bytes, separator)
    }
  }
}
