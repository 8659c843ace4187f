import CoreML
import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import FeatureFiles
import Foundation

/// The destination of a batch's results, in row order. A place is the index of a row within this run's share.
class BatchSink {
  let batch: Batch

  init(_ batch: Batch) { self.batch = batch }

  /// Whether an earlier run wrote the row already.
  func isDone(_ place: Int) -> Bool { false }
  /// Whether an earlier run wrote a result for the row, not a failure.
  func hasResult(_ place: Int) -> Bool { false }
  /// Whether a run record is kept, so that another run can resume.
  var isRecorded: Bool { false }
  /// Called before a row is read: the file may change from here on, so its fingerprint is taken now.
  final func willRead(_ place: Int) {
    if isRecorded, batch.rows.areFiles { fingerprints[place] = batch.rows.fingerprint(batch.places[place]) }
  }
  private var fingerprints: [Int: String] = [:]

  /// The row's fingerprint from the time that it was read.
  final func takeFingerprint(_ place: Int) -> String {
    fingerprints.removeValue(forKey: place) ?? batch.rows.fingerprint(batch.places[place])
  }

  /// Adds the fingerprints of rows.
  final func append(_ places: Range<Int>, to fingerprint: inout Fingerprint) {
    if batch.rows.areFiles {
      for place in places { fingerprint.append(takeFingerprint(place)) }
    } else {
      batch.rows.append(batch.places[places], to: &fingerprint)
    }
  }

  final func entry(_ place: Int, _ outcome: RunRecord.Outcome, result: String = "-") -> RunRecord.Entry {
    RunRecord.Entry(
      fingerprint: takeFingerprint(place), outcomes: RowOutcomes(outcome), result: result, name: batch.name(place))
  }

  /// An encoder of block rows for `write(encoded:at:)`; nil if the sink takes only features.
  func encoder(_ blocks: TabularBlocks) -> (any BlockEncoder)? { nil }
  func write(encoded outputs: ArraySlice<UInt8>, at place: Int) throws {}
  /// Writes consecutive rows.
  func write(_ encoded: EncodedRows.Run) throws {
    for (place, outputs) in encoded { try write(encoded: outputs, at: place) }
  }
  /// Writes the buffered rows.
  func flush() throws {}

  /// Rows of earlier runs that failed.
  var failedBefore: Int { 0 }
  func write(_ result: any MLFeatureProvider, at place: Int) throws {}
  func write(failure: String, at place: Int) throws {}
  func skip(at place: Int) throws {}
  /// All rows are written: temporary files get their names.
  func finish() throws {}
  /// What an interrupted run leaves, as the end of a sentence.
  var remains: String { "nothing of them is kept" }

  /// The properties of a batch that sinks use.
  struct Batch {
    let rows: any BatchRows
    /// The rows of this run's share.
    let places: RowPlaces
    let share: Shard?
    /// The model's outputs with their types.
    let outputs: [String: MLFeatureDescription]
    /// How many of a dictionary's largest values are kept.
    let keep: Int?
    let resume: Bool
    /// Whether failed rows are recorded among the results.
    let recordsFailures: Bool
    /// Columns of the rows that results repeat.
    let kept: [String]
    /// What results depend on. Evaluated only for a recorded run.
    let beginning: () throws -> RunRecord.Beginning

    /// The member that identifies the row: `row`, with leading underscores if an output has that name.
    let key: String

    /// Derives `key` from the outputs.
    init(
      rows: any BatchRows, places: RowPlaces, share: Shard?, outputs: [String: MLFeatureDescription], keep: Int?,
      resume: Bool, recordsFailures: Bool, kept: [String], beginning: @escaping () throws -> RunRecord.Beginning
    ) {
      (self.rows, self.places, self.share, self.outputs) = (rows, places, share, outputs)
      (self.keep, self.resume, self.recordsFailures) = (keep, resume, recordsFailures)
      (self.kept, self.beginning) = (kept, beginning)
      var key = "row"
      while outputs.keys.contains(key) { key = "_" + key }
      self.key = key
    }

    func title(_ place: Int) -> FeatureJSONWriter.Member { (key, rows.title(places[place])) }
    func name(_ place: Int) -> String { rows.name(places[place]) }
    /// The members before a row's outputs.
    func members(_ place: Int) -> [FeatureJSONWriter.Member] { [title(place)] + rows.kept(places[place]) }
    var hasArrays: Bool { outputs.values.contains { $0.type == .multiArray } }

    func line(failure: String, at place: Int) -> String {
      var writer = FeatureJSONWriter()
      writer.failure(failure, after: members(place))
      return writer.text
    }
  }

  static func open(_ output: String?, _ batch: Batch) throws -> BatchSink {
    for title in batch.kept where title == batch.key || title == "error" || batch.outputs.keys.contains(title) {
      throw Failure(.usage, "--keep-columns: results have another member '\(title)'")
    }
    guard let output, output != StandardInput.path else { return PrintSink(batch) }
    switch URL(filePath: output).pathExtension.lowercased() {
    case "jsonl", "ndjson": return try LineSink(output, batch, ObjectLines(batch: batch))
    case let kind where kind.isTable:
      return try LineSink(output, batch, TableLines(batch, separator: kind == "tsv" ? 0x09 : 0x2C, path: output))
    case "npz":
      if batch.resume {
        throw Failure(.usage, "--resume: an .npz is written at the end only; expected .jsonl, .csv, .tsv or a folder")
      }
      return try ArraySink(output, batch)
    case "":
      guard batch.kept.isEmpty else {
        throw Failure(.usage, "--keep-columns: a folder of results has no columns; expected .jsonl, .csv, .tsv or .npz")
      }
      return try FolderSink(output, batch)
    default: throw Failure(.usage, "--output \(output): expected .jsonl, .csv, .tsv, .npz or a folder for a batch")
    }
  }

  /// Removes temporary files that killed runs left next to an output. Files that another share is writing stay.
  ///
  /// - Parameter isOutput: Whether a temporary name with this stem belongs to an output (`TemporaryName.stem`).
  static func sweep(_ folder: String, _ isOutput: (String) -> Bool) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasSuffix(".partial") {
      let parts = name.dropLast(".partial".count).split(separator: ".", omittingEmptySubsequences: false)
      if parts.count > 1, let word = parts.last, TemporaryName.isWord(word),
        isOutput(parts.dropLast().joined(separator: "."))
      {
        TemporaryName.sweep("\(folder)/\(name)")
      }
    }
  }
}

/// One line of JSON per row on standard output.
final class PrintSink: BatchSink {
  private let format: ObjectLines
  private var pending = LineBuffer(rows: .max, bytes: 1 << 16, seconds: 0.05)

  override init(_ batch: Batch) {
    format = ObjectLines(batch: batch)
    super.init(batch)
  }

  override func encoder(_ blocks: TabularBlocks) -> (any BlockEncoder)? { format.printer(blocks) }

  override func write(encoded outputs: ArraySlice<UInt8>, at place: Int) throws {
    try add { format.append(printed: outputs, at: place, to: &$0) }
  }

  override func write(_ result: any MLFeatureProvider, at place: Int) throws {
    try add { format.append(result, at: place, to: &$0) }
  }

  override func write(failure: String, at place: Int) throws {
    try add { format.append(failure: failure, at: place, to: &$0) }
  }

  private func add(_ line: (inout [UInt8]) -> Void) throws {
    pending.add(line)
    if pending.isFull { try flush() }
  }

  override func flush() throws {
    Console.say(pending.bytes)
    pending.clear()
  }

  override func finish() throws { try flush() }
}
