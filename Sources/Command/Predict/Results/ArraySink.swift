import CoreML
import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import FeatureFiles
import Foundation

/// An `.npz`: every output with the row as its first axis, and the titles of the rows.
final class ArraySink: BatchSink {
  /// An output of all rows.
  private struct Column {
    let element: NPYArray.Element
    /// The shape of one row.
    let shape: [Int]
    var bytes: [UInt8]
    var rows = 0
  }

  private let path: String
  private let record: RunRecord
  private var done: [Int] = []
  private var columns: [String: Column] = [:]
  /// Its columns describe the bytes that `write(encoded:at:)` takes.
  private var encoder: ArrayEncoder?
  /// Bytes of the results so far, and bytes admitted by the memory limit.
  private var (held, admitted) = (0, 0)

  init(_ path: String, _ batch: Batch) throws {
    self.path = path
    try RowOutputs.expectArrays(batch.outputs, path, instead: "a .jsonl file or a folder")
    record = try RunRecord(of: path, share: nil)
    super.init(batch)
    let url = URL(filePath: path)
    Self.sweep(url.deletingLastPathComponent().path) { $0 == TemporaryName.stem(url.lastPathComponent) }
  }

  override func write(_ result: any MLFeatureProvider, at place: Int) throws {
    for name in result.featureNames {
      guard let array = result.featureValue(for: name)?.multiArrayValue else { continue }
      let row = FeatureConversion.array(array)
      try append(row.bytes[...], to: name, row.element, row.shape)
    }
    done.append(place)
  }

  override func encoder(_ blocks: TabularBlocks) -> (any BlockEncoder)? {
    encoder = ArrayEncoder(blocks)
    return encoder
  }

  override func write(encoded outputs: ArraySlice<UInt8>, at place: Int) throws {
    var start = outputs.startIndex
    for column in encoder?.columns ?? [] {
      let end = start + column.byteCount
      try append(outputs[start..<end], to: column.output.feature, column.element, column.shape)
      start = end
    }
    done.append(place)
  }

  /// Adds an output of the row that is next in `done`.
  private func append(
    _ bytes: ArraySlice<UInt8>, to name: String, _ element: NPYArray.Element, _ shape: [Int]
  ) throws {
    let column = columns[name] ?? Column(element: element, shape: shape, bytes: [])
    guard column.rows == done.count, column.shape == shape, column.element == element else { throw uneven(name) }
    held += bytes.count
    if held > admitted {
      // Admits 1 MiB ahead, so that not every row asks.
      admitted = held + 1 << 20
      try ResultAdmission.admit(held: admitted)
    }
    columns[name, default: column].bytes.append(contentsOf: bytes)
    columns[name]?.rows += 1
  }

  private func uneven(_ name: String) -> Failure {
    Failure(.data, "\(path): the output '\(name)' differs in shape between rows; expected one shape for an .npz")
  }

  override func write(failure: String, at place: Int) throws {
    throw Failure(.usage, "--on-error record: an .npz has no room for errors (\(failure))")
  }

  override func finish() throws {
    var stacked = try columns.keys.sorted().compactMap { name in
      try columns[name].map { column in
        guard column.rows == done.count else { throw uneven(name) }
        return (name: name, array: NPYArray(column.element, shape: [column.rows] + column.shape, bytes: column.bytes))
      }
    }
    let titles = done.map { batch.title($0).value }
    let texts = titles.filter { $0.type == .string }.map(\.stringValue)
    let kept = batch.kept.enumerated().map { index, title in
      (title, done.map { batch.members($0)[index + 1].value.stringValue })
    }
    if texts.isEmpty {
      let bytes = titles.flatMap { title in withUnsafeBytes(of: title.int64Value.littleEndian) { Array($0) } }
      stacked.append((batch.key, NPYArray(.int64, shape: [titles.count], bytes: bytes)))
    }
    try NPZ.write(stacked, texts: (texts.isEmpty ? [] : [(batch.key, texts)]) + kept, to: path)
    record.remove()
  }

  override var remains: String { "nothing of them is kept: an .npz is written at the end" }

  deinit { record.remove() }
}
