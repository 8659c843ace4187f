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
    let valid: Int
    (beginning, entries, isFinished, ends, valid) = Self.parse(Data(bytes))
    // A process that ended while it wrote left an incomplete line. The next line must not continue it.
    if beginning != nil, valid < bytes.count { try truncate(valid) }
  }

  /// - Returns: Also `valid`, the number of bytes before the first line that is incomplete or damaged.
  private static func parse(_ data: Data) -> (Beginning?, [Entry], isFinished: Bool, ends: [Int], valid: Int) {
    // Bytes after the last newline are an incomplete line.
    let lines = data.prefix(upTo: data.lastIndex(of: 0x0A) ?? data.startIndex).split(separator: 0x0A)
    guard let head = lines.first, let beginning = try? JSONDecoder().decode(Beginning.self, from: head) else {
      return (nil, [], false, [], 0)
    }
    var (entries, isFinished): ([Entry], Bool) = ([], false)
    var ends = [head.endIndex + 1]
    var valid = head.endIndex + 1
    for line in lines.dropFirst() {
      let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 3).map(String.init)
      if words.first == "finished" {
        isFinished = true
      } else if words.count == 4, let outcomes = RowOutcomes(words[1]),
        let name = try? JSONDecoder().decode(String.self, from: Data(words[3].utf8))
      {
        entries.append(Entry(fingerprint: words[0], outcomes: outcomes, result: words[2], name: name))
        ends.append(line.endIndex + 1)
      } else {
        break
      }
      valid = line.endIndex + 1
    }
    return (beginning, entries, isFinished, ends, valid)
  }

  /// Throws if this run cannot continue the recorded one.
  func check(_ now: Beginning, _ output: String) throws {
    guard let beginning else {
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
  }

  // MARK: write

  /// Starts a new run and discards the old record.
  func begin(_ beginning: Beginning) throws {
    try truncate(0)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let count = try append(String(decoding: try encoder.encode(beginning), as: UTF8.self))
    (self.beginning, entries, isFinished, ends) = (beginning, [], false, [count])
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
    if let reason = Console.write(line + "\n", to: descriptor) {
      throw Failure.unwritable(path, "the record of the run cannot be written", errno: reason)
    }
    return line.utf8.count + 1
  }

  // MARK: shares

  /// Rows that other shares of the same output have done, if they began with the same settings.
  func others(of output: String, beganAs beginning: Beginning) -> [Entry] {
    siblings(output).flatMap { sibling -> [Entry] in
      guard let data = OwnFile.read(sibling) else { return [] }
      let (began, entries, _, _, _) = Self.parse(data)
      return began == beginning ? entries : []
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
