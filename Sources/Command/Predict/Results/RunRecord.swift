import CoreMLBase
import CoreMLSpec
import FeatureFiles
import Foundation

/// The record of a batch: what it began with, and which rows are done. It is stored next to the output as `.<output's
/// name>.run`. The first line describes the run; each further line describes a block of rows that were written
/// together. `--resume` uses the record, and its lock keeps two processes from writing one output.
final class RunRecord {
  /// What results depend on (the model, options), with names for error messages.
  typealias Beginning = [String: String]

  enum Outcome: Character { case done = "d", failed = "f", skipped = "s" }

  /// Rows that were written together.
  struct Entry {
    let fingerprint: String
    let outcomes: RowOutcomes
    /// The digest of what was written for the rows; a dash for nothing.
    let result: String
    /// The name of the first row.
    let name: String

    /// The outcome of an entry with one row.
    var outcome: Outcome { outcomes.first ?? .skipped }
  }

  let path: String
  /// Nil if no run has begun.
  private(set) var beginning: Beginning?
  private(set) var entries: [Entry] = []
  /// Whether the output was complete once.
  private(set) var isFinished = false
  private let descriptor: Int32
  private var isRemoved = false
  /// Byte offsets in the file: the end of the first line, of the first entry, and so on.
  private var ends: [Int] = []
  /// The number of the first complete line that cannot be read.
  private(set) var damagedLine: Int?
  /// The offset of an incomplete line at the end, which a process left that ended while it wrote. It is removed before
  /// the next line is written.
  private var tail: Int?

  /// Opens and locks the record of an output for this process.
  ///
  /// - Parameter share: The share, for outputs that several processes fill with different rows.
  init(of output: String, share: Shard?) throws {
    var place = Self.path(of: output, share)
    var (descriptor, reason) = try Self.lock(place, output)
    var status = stat()
    if descriptor == nil, stat(output, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      // The parent of an output folder may belong to another user.
      place = "\(output)/\(URL(filePath: place).lastPathComponent)"
      (descriptor, reason) = try Self.lock(place, output)
    }
    guard let descriptor else {
      throw Failure.unwritable(output, "the record of the run cannot be made beside it", errno: reason)
    }
    (path, self.descriptor) = (place, descriptor)
    try read()
  }

  deinit { close(descriptor) }

  private static func path(of output: String, _ share: Shard?) -> String {
    let url = URL(filePath: output).standardizedFileURL
    var name = url.lastPathComponent
    if name.utf8.count > 200 {
      var fingerprint = Fingerprint()
      fingerprint.append(name)
      name = fingerprint.text
    }
    let suffix = share.map { ".\($0.index)-of-\($0.count)" } ?? ""
    return url.deletingLastPathComponent().path + "/.\(name)\(suffix).run"
  }

  /// Opens and locks the file. Without a descriptor the file could not be created, and the reason is errno.
  private static func lock(_ path: String, _ output: String) throws -> (descriptor: Int32?, reason: Int32) {
    while true {
      var descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
      if descriptor < 0 {
        guard errno == EEXIST else { return (nil, errno) }
        guard let there = try OwnFile.open(path, O_RDWR | O_APPEND) else { continue }
        descriptor = there
      }
      while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        let reason = errno
        if reason == EINTR { continue }
        close(descriptor)
        if reason == EWOULDBLOCK {
          throw Failure(
            .temporary, "\(output): another process is writing it; wait for it to end, or choose another output")
        }
        throw Failure.unwritable(path, "the record of the run cannot be locked", errno: reason)
      }
      // The earlier holder of the lock may have removed the file.
      if OwnFile.stands(descriptor, at: path) { return (descriptor, 0) }
      close(descriptor)
    }
  }

  // MARK: read

  private func read() throws {
    // Read by descriptor: another file may have the name by now.
    guard let bytes = OpenFile.bytes(descriptor) else {
      throw Failure(.io, "\(path): the record of the run cannot be read: \(String(cString: strerror(errno)))")
    }
    let contents = RecordContents(Data(bytes))
    (beginning, entries, isFinished) = (contents.beginning, contents.entries, contents.isFinished)
    (ends, damagedLine) = (contents.ends, contents.damagedLine)
    if contents.size < bytes.count { tail = contents.size }
  }

  /// Throws if this run cannot continue the recorded one.
  func check(_ now: Beginning, _ output: String) throws {
    guard let beginning else {
      if let damagedLine { throw Self.damaged(path, damagedLine, output) }
      throw Failure(
        .data, "\(output): --resume: nothing tells what it was made from; leave out --resume to begin anew")
    }
    for what in Set(beginning.keys).union(now.keys).sorted() where beginning[what] != now[what] {
      let values = [beginning[what], now[what]].map { $0.map { "'\($0)'" } ?? "none" }
      // Values of options help people; digests do not.
      let detail = what.hasPrefix("--") ? ": \(values[0]) then, \(values[1]) now" : ""
      throw Failure(
        .data,
        "\(output): --resume: \(what) is not what the run began with\(detail); leave out --resume to begin anew")
    }
    if let damagedLine { throw Self.damaged(path, damagedLine, output) }
  }

  /// Nothing tells which results a damaged line was about. The user may have changed them since.
  private static func damaged(_ record: String, _ line: Int, _ output: String) -> Failure {
    let remedy = line > 1 ? "remove it and the lines after it to predict their rows again, or " : ""
    return Failure(
      .data,
      "\(output): --resume: line \(line) of the record \(record) is damaged; \(remedy)leave out --resume to begin anew")
  }

  // MARK: write

  /// Starts a new run and discards the old record.
  func begin(_ beginning: Beginning) throws {
    try truncate(0)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let count = try append(String(decoding: try encoder.encode(beginning), as: UTF8.self))
    (self.beginning, entries, isFinished, ends, damagedLine) = (beginning, [], false, [count], nil)
  }

  /// Continues after the first `count` entries of an earlier run.
  func keep(_ count: Int) throws {
    entries.removeSubrange(count...)
    ends.removeSubrange((count + 1)...)
    isFinished = false
    try truncate(ends[count])
  }

  private func truncate(_ size: Int) throws {
    guard ftruncate(descriptor, off_t(size)) == 0 else {
      throw Failure.unwritable(path, "the record of the run cannot be written")
    }
    tail = nil
  }

  func add(_ entry: Entry) throws { try add([entry]) }

  func add(_ more: [Entry]) throws {
    let lines = more.map { entry in
      var name = FeatureJSONWriter()
      name.string(entry.name)
      return "\(entry.fingerprint) \(entry.outcomes.text) \(entry.result) \(name.text)"
    }
    guard !lines.isEmpty else { return }
    try append(lines.joined(separator: "\n"))
    for (entry, line) in zip(more, lines) {
      entries.append(entry)
      ends.append((ends.last ?? 0) + line.utf8.count + 1)
    }
  }

  /// Marks the output as complete. It gets its name next.
  func finish() throws {
    try append("finished")
    isFinished = true
  }

  /// Removes the record, as there is nothing to resume.
  func remove() {
    // Only once: afterwards another process may own the name.
    if !isRemoved { unlink(path) }
    isRemoved = true
  }

  /// Returns the length of the line in bytes.
  @discardableResult private func append(_ line: String) throws -> Int {
    if let tail { try truncate(tail) }
    if let reason = Console.write(line + "\n", to: descriptor) {
      throw Failure.unwritable(path, "the record of the run cannot be written", errno: reason)
    }
    return line.utf8.count + 1
  }

  // MARK: shares

  /// Rows that other shares of the same output have done, if they began with the same settings.
  ///
  /// - Throws: `Failure` if the record of one is damaged.
  func others(of output: String, beganAs beginning: Beginning) throws -> [Entry] {
    try siblings(output).flatMap { sibling -> [Entry] in
      let contents = OwnFile.read(sibling).map(RecordContents.init)
      guard let contents, contents.beginning == beginning else { return [] }
      if let line = contents.damagedLine { throw Self.damaged(sibling, line, output) }
      return contents.entries
    }
  }

  /// Removes the records of earlier runs that split the rows in another way.
  func removeOthers(of output: String, share: Shard?) {
    for sibling in siblings(output) where share == nil || !sibling.hasSuffix("-of-\(share?.count ?? 0).run") {
      guard let file = (try? OwnFile.open(sibling, O_RDWR)).flatMap({ $0 }) else { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 { unlink(sibling) }
      close(file)
    }
  }

  private func siblings(_ output: String) -> [String] {
    let folder = URL(filePath: path).deletingLastPathComponent().path
    let stem = URL(filePath: Self.path(of: output, nil)).deletingPathExtension().lastPathComponent
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().filter { $0 == "\(stem).run" || Self.isShare($0, of: stem) }
      .map { "\(folder)/\($0)" }.filter { $0 != path }
  }

  /// Whether a file is named `<stem>.<index>-of-<count>.run`. Other outputs may have names with the same beginning.
  private static func isShare(_ name: String, of stem: String) -> Bool {
    guard name.hasPrefix("\(stem)."), name.hasSuffix(".run") else { return false }
    let numbers = name.dropFirst(stem.count + 1).dropLast(".run".count).split(
      separator: "-of-", omittingEmptySubsequences: false)
    return numbers.count == 2 && numbers.allSatisfy { Int($0).map(String.init) == String($0) }
  }
}
