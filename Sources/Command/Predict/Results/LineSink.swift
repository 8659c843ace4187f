import CoreML
import CoreMLSpec
import FeatureFiles
import Foundation

/// A `.jsonl`, `.csv` or `.tsv` file. Until it is complete it is called `.partial`, and the record of the run tells which rows its lines are: a row is
/// recorded, with a digest of its line, before the line is written, so that the lines that are there are those of the first rows of the record.
final class LineSink: BatchSink {
  private let path: String
  private let partial: String
  private let record: RunRecord
  private let format: any ResultLines
  /// Negative where an earlier run has done all there is to do.
  private let file: Int32
  private var done = 0

  init(_ path: String, _ batch: Batch, _ format: any ResultLines) throws {
    self.path = path
    self.format = format
    partial = PrivateName.stem(path) + PrivateName.suffix
    record = try RunRecord(of: path, share: nil)
    let beginning = try batch.beginning()
    let begun = batch.resume ? try OwnFile.open(partial, O_RDWR | O_APPEND) : nil
    guard batch.resume, begun != nil || access(path, F_OK) == 0 else {
      file = try OwnFile.make(partial, mode: 0o644)
      super.init(batch)
      try record.begin(beginning)
      if let header = format.header { try append(header) }
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
    if record.entries.count == batch.places.count {
      file = -1
      super.init(batch)
      try check(record.entries.count)
      return
    }
    // It was complete, and there are new rows since.
    file = try OwnFile.make(partial, mode: 0o644)
    super.init(batch)
    do {
      try check(record.entries.count)
      try Self.copy(path, to: file, partial)
    } catch {
      unlink(partial)
      throw error
    }
    try record.keep(record.entries.count)
  }

  deinit { if file >= 0 { close(file) } }

  private static func copy(_ path: String, to file: Int32, _ partial: String) throws {
    let bytes = try FileBytes.read(path)
    if let reason = bytes.withUnsafeBytes({ Console.write($0, to: file) }) {
      throw Failure.unwritable(partial, "the file cannot be written", errno: reason)
    }
  }

  // MARK: what an earlier run left

  private static func refusal(_ path: String, _ what: String) -> Failure {
    Failure(.data, "\(path): --resume: \(what); leave out --resume to begin anew")
  }

  /// Throws where a file is not the output that was complete once, to the byte.
  private static func checkFinished(_ path: String, _ record: RunRecord, _ format: any ResultLines) throws {
    let file = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      throw Failure(.io, "\(path): the file cannot be opened: \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    let expected = record.lines(after: format.header)
    let lines = WrittenLines(file, path, isQuoted: format.isQuoted)
    let found = try lines.read(atMost: expected.count + 1)
    guard record.isFinished, found.map(\.digest) == expected, try lines.size() == found.last?.end ?? 0 else {
      throw refusal(path, "it is not what the run that made it left")
    }
  }

  /// Goes on after the whole lines that are there; what follows the last of them goes.
  private func takeUp() throws {
    let expected = record.lines(after: format.header)
    let found = try WrittenLines(file, partial, isQuoted: format.isQuoted).read(atMost: expected.count)
    for (number, (line, digest)) in zip(found, expected).enumerated() where line.digest != digest {
      throw Self.refusal(path, "line \(number + 1) of \(partial) is not what the run wrote")
    }
    let before = format.header == nil ? 0 : 1
    guard found.count >= before else {
      guard ftruncate(file, 0) == 0 else { throw Failure.unwritable(partial, "the file cannot be written") }
      if let header = format.header { try append(header) }
      return try record.keep(0)
    }
    let count = record.rows(ofLines: found.count - before)
    try check(count)
    guard ftruncate(file, off_t(found.last?.end ?? 0)) == 0 else {
      throw Failure.unwritable(partial, "the file cannot be written")
    }
    try record.keep(count)
  }

  /// The first rows must be those that were done.
  private func check(_ count: Int) throws {
    guard count <= batch.places.count else {
      throw Self.refusal(path, "\(count) rows were done, and there are \(batch.places.count) now")
    }
    for (place, entry) in record.entries.prefix(count).enumerated() {
      let row = batch.places[place]
      let name = batch.rows.name(row)
      guard name == entry.name else {
        throw Self.refusal(path, "row \(row + 1) was '\(entry.name)' and is '\(name)' now")
      }
      guard batch.rows.fingerprint(row) == entry.fingerprint else {
        throw Self.refusal(path, "row \(row + 1) (\(name)) is not what it was")
      }
    }
    done = count
  }

  // MARK: rows

  override var isRecorded: Bool { true }
  override var failedBefore: Int { record.entries.prefix(done).count { $0.outcome != .done } }
  override func isDone(_ place: Int) -> Bool { place < done }
  override func hasResult(_ place: Int) -> Bool { place < done && record.entries[place].outcome == .done }
  override func skip(at place: Int) throws { try record.add(entry(place, .skipped)) }

  override func write(_ result: any MLFeatureProvider, at place: Int) throws {
    try write(format.line(result, at: place), at: place, .done)
  }

  override func write(failure: String, at place: Int) throws {
    try write(format.line(failure: failure, at: place), at: place, .failed)
  }

  private func write(_ line: String, at place: Int, _ outcome: RunRecord.Outcome) throws {
    try record.add(entry(place, outcome, result: Fingerprint.digest(of: line)))
    try append(line)
  }

  private func append(_ line: String) throws {
    if let reason = Console.write(line + "\n", to: file) {
      throw Failure.unwritable(partial, "the file cannot be written", errno: reason)
    }
  }

  override func finish() throws {
    guard file >= 0 else { return }
    guard fsync(file) == 0 else { throw Failure.unwritable(partial, "the file cannot be written") }
    // Where others may rename what is not theirs, something else may stand under the name by now.
    guard OwnFile.stands(file, at: partial) else {
      throw Failure(.cannotWrite, "\(partial): another file has taken its place")
    }
    try record.finish()
    guard rename(partial, path) == 0, PrivateName.synchronizeFolder(of: path) else {
      throw Failure.unwritable(path, "the file cannot be put in its place")
    }
  }

  override var remains: String { "they are in \(partial), and --resume goes on" }
}

extension RunRecord {
  /// The digests of the lines that its rows have, after a header: rows that were left out have none.
  fileprivate func lines(after header: String?) -> [String] {
    (header.map { [Fingerprint.digest(of: $0)] } ?? []) + entries.filter { $0.outcome != .skipped }.map(\.result)
  }

  /// The first rows that have so many lines.
  fileprivate func rows(ofLines lines: Int) -> Int {
    var left = lines
    for (place, entry) in entries.enumerated() where entry.outcome != .skipped {
      if left == 0 { return place }
      left -= 1
    }
    return entries.count
  }
}
