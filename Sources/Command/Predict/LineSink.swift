import CoreML
import CoreMLSpec
import FeatureFiles
import Foundation

/// A `.jsonl`, `.csv` or `.tsv` file. Until it is complete it is called `.partial`, and the record of the run tells which rows its lines are: a row is
/// recorded before its line is written, so that the lines that are there are those of the first rows of the record.
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
      try keep(lines: lines(atMost: record.written(record.entries.count)))
      return
    }
    guard record.isFinished(path) else {
      throw Failure(
        .data, "\(path): --resume: it is not what the run that made it left; leave out --resume to begin anew")
    }
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

  /// Goes on after so many whole lines; what follows the last of them goes.
  private func keep(lines: (count: Int, bytes: Int)?) throws {
    guard let lines else {
      guard ftruncate(file, 0) == 0 else { throw Failure.unwritable(partial, "the file cannot be written") }
      if let header = format.header { try append(header) }
      return try record.keep(0)
    }
    let count = record.rows(ofLines: lines.count)
    try check(count)
    guard ftruncate(file, off_t(lines.bytes)) == 0 else {
      throw Failure.unwritable(partial, "the file cannot be written")
    }
    try record.keep(count)
  }

  /// The first rows must be those that were done.
  private func check(_ count: Int) throws {
    func refuse(_ what: String) -> Failure {
      Failure(.data, "\(path): --resume: \(what); leave out --resume to begin anew")
    }
    guard count <= batch.places.count else {
      throw refuse("\(count) rows were done, and there are \(batch.places.count) now")
    }
    for (place, entry) in record.entries.prefix(count).enumerated() {
      let row = batch.places[place]
      let name = batch.rows.name(row)
      guard name == entry.name else { throw refuse("row \(row + 1) was '\(entry.name)' and is '\(name)' now") }
      guard batch.rows.fingerprint(row) == entry.fingerprint else {
        throw refuse("row \(row + 1) (\(name)) is not what it was")
      }
    }
    done = count
  }

  /// The whole lines of rows in the file, and the bytes up to their end; nil where what stands before them is not whole.
  private func lines(atMost rows: Int) throws -> (count: Int, bytes: Int)? {
    let before = format.header == nil ? 0 : 1
    let most = rows + before
    var isWithinQuotes = false
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var (count, bytes, offset) = (0, 0, 0)
    while count < most {
      let got = pread(file, &buffer, buffer.count, off_t(offset))
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else {
        throw Failure(.io, "\(partial): the file cannot be read: \(String(cString: strerror(errno)))")
      }
      guard got > 0 else { break }
      for index in 0..<got where count < most {
        if format.isQuoted, buffer[index] == 0x22 { isWithinQuotes.toggle() }
        guard buffer[index] == 0x0A, !isWithinQuotes else { continue }
        count += 1
        bytes = offset + index + 1
      }
      offset += got
    }
    return count < before ? nil : (count - before, bytes)
  }

  // MARK: rows

  override var failedBefore: Int { record.entries.prefix(done).count { $0.outcome != .done } }
  override func isDone(_ place: Int) -> Bool { place < done }
  override func skip(at place: Int) throws { try record.add(batch.entry(place, .skipped)) }

  override func write(_ result: any MLFeatureProvider, at place: Int) throws {
    try record.add(batch.entry(place, .done))
    try append(format.line(result, at: place))
  }

  override func write(failure: String, at place: Int) throws {
    try record.add(batch.entry(place, .failed))
    try append(format.line(failure: failure, at: place))
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
    try record.finish(file)
    guard rename(partial, path) == 0, PrivateName.synchronizeFolder(of: path) else {
      throw Failure.unwritable(path, "the file cannot be put in its place")
    }
  }

  override var remains: String { "they are in \(partial), and --resume goes on" }
}

extension RunRecord {
  /// The lines that the first rows have: those that were left out have none.
  fileprivate func written(_ rows: Int) -> Int { entries.prefix(rows).count { $0.outcome != .skipped } }

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
