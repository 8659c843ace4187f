import BatchFiles
import CoreML
import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import FeatureFiles
import Foundation

/// A `.jsonl`, `.csv` or `.tsv` file. Until it is complete its name ends in `.partial`, and the run record says which
/// rows its lines hold.
///
/// Lines are written in blocks. The record of a block, with a digest of its lines, is written before the lines. So the
/// complete blocks in the file are the first ones of the record. A block that a killed run left incomplete is predicted
/// again.
final class LineSink: BatchSink {
  private let path: String
  private let partial: String
  private let record: RunRecord
  private let format: any ResultLines
  /// Negative if an earlier run has completed the output.
  private let file: Int32
  /// Number of rows that earlier runs have done.
  private var done = 0
  /// The first row of each block of earlier runs.
  private var firsts: [Int] = []

  private var pending: LineBuffer
  private var outcomes = RowOutcomes()
  private var fingerprint = Fingerprint()
  private var first = 0

  init(_ path: String, _ batch: Batch, _ format: any ResultLines) throws {
    self.path = path
    self.format = format
    // With a block of one row, an error can name the file that changed.
    pending = LineBuffer(rows: batch.rows.areFiles ? 1 : 512, bytes: 1 << 20, seconds: 0.25)
    partial = TemporaryName.stem(path) + TemporaryName.suffix
    record = try RunRecord(of: path, share: nil)
    let beginning = try batch.beginning()
    try Self.requireNoOtherShare(path, record, beginning)
    let begun = batch.resume ? try OwnFile.open(partial, O_RDWR | O_APPEND) : nil
    guard batch.resume, begun != nil || access(path, F_OK) == 0 else {
      file = try OwnFile.make(partial, mode: 0o644)
      super.init(batch)
      try record.begin(beginning)
      try append(Self.header(format))
      return
    }
    do { try record.check(beginning, path) } catch {
      if let begun { close(begun) }
      throw error
    }
    if let begun {
      file = begun
      super.init(batch)
      try takeUp()
      return
    }
    try Self.checkFinished(path, record, format)
    if record.entries.rowCount == batch.places.count {
      file = -1
      super.init(batch)
      try check(record.entries)
      return
    }
    // The output was complete, and new rows came since.
    file = try OwnFile.make(partial, mode: 0o644)
    super.init(batch)
    do {
      try check(record.entries)
      try Self.copy(path, to: file, partial)
    } catch {
      unlink(partial)
      throw error
    }
    try record.keep(record.entries.count)
  }

  deinit { if file >= 0 { close(file) } }

  private static func header(_ format: any ResultLines) -> [UInt8] { format.header.map { $0 + [0x0A] } ?? [] }

  private static func copy(_ path: String, to file: Int32, _ partial: String) throws {
    let source = try FileSource(path)
    var place = 0
    while place < source.size {
      let bytes = try source.read(place..<min(place + 1 << 20, source.size))
      if bytes.isEmpty { break }
      place += bytes.count
      if let reason = bytes.withUnsafeBytes({ Console.write($0, to: file) }) {
        throw Failure.unwritable(partial, "the file cannot be written", errno: reason)
      }
    }
  }

  // MARK: results of earlier runs

  /// The whole file is replaced, so each share of a batch needs its own file.
  private static func requireNoOtherShare(
    _ path: String, _ record: RunRecord, _ beginning: RunRecord.Beginning
  ) throws {
    guard let share = beginning["--shard"], var began = record.beginning, let earlier = began["--shard"],
      earlier != share, access(path, F_OK) == 0
    else { return }
    began["--shard"] = share
    guard began == beginning else { return }
    throw Failure(
      .usage,
      "--output \(path): it holds share \(earlier) of the batch; expected another file for share \(share), or a folder for all"
    )
  }

  private static func refusal(_ path: String, _ what: String) -> Failure {
    Failure(.data, "\(path): --resume: \(what); leave out --resume to begin anew")
  }

  /// Throws if the file is not byte for byte the output that was completed.
  private static func checkFinished(_ path: String, _ record: RunRecord, _ format: any ResultLines) throws {
    let file = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      throw Failure(.io, "\(path): the file cannot be opened: \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    let written = WrittenBlocks(file, path, header: header(format), record.entries)
    guard record.isFinished, try written.first() == record.entries.count, written.hasHeader,
      try written.size() == written.end
    else { throw refusal(path, "it is not what the run that made it left") }
  }

  /// Continues after the complete blocks, and truncates what follows the last of them.
  private func takeUp() throws {
    let written = WrittenBlocks(file, partial, header: Self.header(format), record.entries)
    let count = try written.first()
    if let changed = written.changed {
      let lines =
        changed.count == 1
        ? "line \(changed.first ?? 1)" : "one of the lines \(changed.first ?? 1) to \(changed.last ?? 1)"
      throw Self.refusal(path, "\(lines) of \(partial) is not what the run wrote")
    }
    guard written.hasHeader else {
      guard ftruncate(file, 0) == 0 else { throw Failure.unwritable(partial, "the file cannot be written") }
      try append(Self.header(format))
      return try record.keep(0)
    }
    try check(Array(record.entries.prefix(count)))
    guard ftruncate(file, off_t(written.end)) == 0 else {
      throw Failure.unwritable(partial, "the file cannot be written")
    }
    try record.keep(count)
  }

  /// Checks that the first rows are those that were done.
  private func check(_ entries: [RunRecord.Entry]) throws {
    let count = entries.rowCount
    guard count <= batch.places.count else {
      throw Self.refusal(path, "\(count) rows were done, and there are \(batch.places.count) now")
    }
    var place = 0
    for entry in entries {
      let (row, rows) = (batch.places[place], entry.outcomes.count)
      firsts.append(place)
      let name = batch.rows.name(row)
      guard name == entry.name else {
        throw Self.refusal(path, "row \(row + 1) was '\(entry.name)' and is '\(name)' now")
      }
      var fingerprint = Fingerprint()
      append(place..<place + rows, to: &fingerprint)
      place += rows
      guard fingerprint.text != entry.fingerprint else { continue }
      let which =
        rows == 1 ? "row \(row + 1) (\(name))" : "one of the rows \(row + 1) to \(batch.places[place - 1] + 1)"
      throw Self.refusal(path, "\(which) is not what it was")
    }
    done = count
  }

  // MARK: rows

  override var isRecorded: Bool { true }
  override var failedBefore: Int {
    var left = done
    return record.entries.reduce(0) { failed, entry in
      defer { left -= entry.outcomes.count }
      return left > 0 ? failed + entry.outcomes.count(without: .done) : failed
    }
  }
  override func isDone(_ place: Int) -> Bool { place < done }
  override func hasResult(_ place: Int) -> Bool { place < done && outcome(place) == .done }

  private func outcome(_ place: Int) -> RunRecord.Outcome? {
    var (low, high) = (0, firsts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if firsts[middle] <= place { low = middle } else { high = middle }
    }
    return low < firsts.count ? record.entries[low].outcomes[place - firsts[low]] : nil
  }

  override func encoder(_ blocks: TabularBlocks) -> (any BlockEncoder)? { format.printer(blocks) }

  override func write(encoded outputs: ArraySlice<UInt8>, at place: Int) throws {
    pending.add { format.append(printed: outputs, at: place, to: &$0) }
    try note(place, .done)
  }

  override func write(_ encoded: EncodedRows.Run) throws {
    var first = encoded.places.lowerBound
    for (place, outputs) in encoded {
      pending.add { format.append(printed: outputs, at: place, to: &$0) }
      guard pending.isFull || place + 1 == encoded.places.upperBound else { continue }
      try note(first..<(place + 1), .done)
      first = place + 1
    }
  }

  override func write(_ result: any MLFeatureProvider, at place: Int) throws {
    pending.add { format.append(result, at: place, to: &$0) }
    try note(place, .done)
  }

  override func write(failure: String, at place: Int) throws {
    pending.add { format.append(failure: failure, at: place, to: &$0) }
    try note(place, .failed)
  }

  override func skip(at place: Int) throws {
    pending.addNothing()
    try note(place, .skipped)
  }

  /// Notes the outcome of a row, and writes the block when it is complete.
  private func note(_ place: Int, _ outcome: RunRecord.Outcome) throws { try note(place..<(place + 1), outcome) }

  /// The same for rows with the same outcome.
  private func note(_ places: Range<Int>, _ outcome: RunRecord.Outcome) throws {
    if outcomes.count == 0 { first = places.lowerBound }
    outcomes.append(outcome, count: places.count)
    append(places, to: &fingerprint)
    if pending.isFull { try flush() }
  }

  override func flush() throws {
    guard outcomes.count > 0 else { return }
    let lines = pending.bytes
    let entry = RunRecord.Entry(
      fingerprint: fingerprint.text, outcomes: outcomes, result: lines.isEmpty ? "-" : WrittenBlocks.result(lines),
      name: batch.name(first))
    // Cleared before the write: a block whose write fails half way must not be written again after its own beginning.
    pending.clear()
    (outcomes, fingerprint) = (RowOutcomes(), Fingerprint())
    try record.add(entry)
    try append(lines)
  }

  private func append(_ bytes: [UInt8]) throws {
    if let reason = bytes.withUnsafeBytes({ Console.write($0, to: file) }) {
      throw Failure.unwritable(partial, "the file cannot be written", errno: reason)
    }
  }

  override func finish() throws {
    guard file >= 0 else { return }
    try flush()
    guard fsync(file) == 0 else { throw Failure.unwritable(partial, "the file cannot be written") }
    // In a folder where others may rename files, another file may have this name by now.
    guard OwnFile.stands(file, at: partial) else {
      throw Failure(.cannotWrite, "\(partial): another file has taken its place")
    }
    try record.finish()
    guard rename(partial, path) == 0, TemporaryName.synchronizeFolder(of: path) else {
      throw Failure.unwritable(path, "the file cannot be put in its place")
    }
  }

  override var remains: String { "they are in \(partial), and --resume goes on" }
}

extension [RunRecord.Entry] {
  /// Number of rows in all entries.
  fileprivate var rowCount: Int { reduce(0) { $0 + $1.outcomes.count } }
}
