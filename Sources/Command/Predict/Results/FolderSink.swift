import CoreML
import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import FeatureFiles
import Foundation

/// A folder: `<row name>.npz` for arrays, `<row name>.png` for a picture and `<row name>.json` for everything else.
///
/// The files of several rows get their names together. Rows are recorded with digests after their files have their
/// names. A row that changed since its files were written is predicted again.
final class FolderSink: BatchSink {
  private let path: String
  private let record: RunRecord
  private let kinds: ResultKinds
  /// Rows that earlier runs with the same settings have done, by name.
  private var known: [String: RunRecord.Entry] = [:]
  /// Rows of this run that earlier runs have done.
  private var done: Set<Int> = []
  /// Rows whose files are known to come from earlier runs.
  private let ours: Set<String>
  /// Subfolders that exist.
  private var made: Set<String> = []

  /// A row's files, complete but still under temporary names.
  private struct Row {
    let name: String
    let entry: RunRecord.Entry
    let files: [FileWriter]
    /// Kinds of files of an earlier run that the row no longer has.
    let superseded: [String]
  }

  private var pending: [Row] = []
  /// Counts files: each stays open until it has its name.
  private var limit = BlockLimit(count: FolderSink.mostFiles, seconds: 0.25)

  /// A fraction of the process's limit of open files.
  private static var mostFiles: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 16 }
    return Int(min(max(limit.rlim_cur / 4, 1), 64))
  }

  init(_ path: String, _ batch: Batch) throws {
    self.path = path
    kinds = try ResultKinds(batch.outputs, path)
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw Failure(.cannotWrite, "\(path): the folder cannot be made: \(Failure.reason(error))")
    }
    record = try RunRecord(of: path, share: batch.share)
    ours = Set(record.entries.map(\.name))
    super.init(batch)
    try (batch.rows as? FolderRows)?.check(output: path, kinds: kinds.suffixes)
    try (batch.rows as? FileRows)?.check(output: path, kinds: kinds.suffixes)
    let names = Set(batch.places.map { batch.rows.name($0) })
    try kinds.check(names, path)
    try OutputsApart.requirePicturesApart(
      from: path, names.flatMap { name in kinds.all.map { "\(name).\($0)" } }, of: batch)
    for (folder, names) in Dictionary(grouping: names, by: Self.folder) {
      let stems = Set(names.flatMap { name in kinds.all.map { Self.stem(name, $0) } })
      Self.sweep(folder.isEmpty ? path : "\(path)/\(folder)") { stems.contains($0) }
    }
    var beginning = try batch.beginning()
    // Each row has its own files, so it does not matter which share wrote them.
    beginning["--shard"] = nil
    if batch.resume { try takeUp(beginning, names) }
    remarkOnOthers(record.entries + known.values, names)
    if record.beginning == nil || !batch.resume {
      record.removeOthers(of: path, share: batch.share)
      try record.begin(beginning)
      for entry in known.values where names.contains(entry.name) { try record.add(entry) }
    }
  }

  // MARK: results of earlier runs

  /// Tells of results whose rows the batch no longer has. They stay, as the user may have removed only the rows.
  private func remarkOnOthers(_ entries: [RunRecord.Entry], _ names: Set<String>) {
    let written = Set(entries.map(\.name)).subtracting(names)
    guard !written.isEmpty else { return }
    // `names` has only the rows of this share.
    let rows = batch.share == nil ? names : Set((0..<batch.rows.count).map { batch.rows.name($0) })
    let left = written.subtracting(rows).filter(stands).sorted()
    guard let first = left.first else { return }
    let results = left.count == 1 ? "the result of '\(first)' stays" : "\(left.count) results stay, such as '\(first)'"
    Console.remark("\(path): \(results), and the batch has no such row")
  }

  private func takeUp(_ beginning: RunRecord.Beginning, _ names: Set<String>) throws {
    let others = try record.others(of: path, beganAs: beginning)
    if record.beginning != nil || record.damagedLine != nil || others.isEmpty && names.contains(where: stands) {
      try record.check(beginning, path)
    }
    for entry in others + record.entries { known[entry.name] = entry }
    for place in batch.places.indices {
      // A file that the user changed is refused, even if the row would be predicted again.
      guard let entry = known[batch.name(place)], try stands(entry),
        entry.fingerprint == batch.rows.fingerprint(batch.places[place])
      else { continue }
      done.insert(place)
    }
  }

  /// Whether the files of a row are as they were written. Missing and empty files are written again; a changed file is
  /// an error.
  private func stands(_ entry: RunRecord.Entry) throws -> Bool {
    if entry.outcome == .skipped || entry.result == "-" { return true }
    let found = digests(of: entry.name)
    var isWhole = true
    for word in entry.result.split(separator: ",") {
      let parts = word.split(separator: "=").map(String.init)
      guard parts.count == 2, let kind = Int(parts[0]), kinds.all.indices.contains(kind) else { return false }
      var status = stat()
      let file = "\(path)/\(entry.name).\(kinds.all[kind])"
      if found[kind] == parts[1] { continue }
      guard stat(file, &status) != 0 || status.st_size == 0 else {
        throw Failure(
          .data, "\(file): --resume: it is not what the run wrote; remove it, or leave out --resume to begin anew")
      }
      isWhole = false
    }
    return isWhole
  }

  private func stands(_ name: String) -> Bool {
    kinds.all.contains { access("\(path)/\(name).\($0)", F_OK) == 0 }
  }

  /// The digests of the existing files of a row's results, by the index of their kind.
  private func digests(of name: String) -> [Int: String] {
    var digests: [Int: String] = [:]
    for (place, kind) in kinds.all.enumerated() {
      digests[place] = Fingerprint.digest(ofFileAt: "\(path)/\(name).\(kind)")
    }
    return digests
  }

  override var isRecorded: Bool { true }
  override func isDone(_ place: Int) -> Bool { done.contains(place) }
  override func hasResult(_ place: Int) -> Bool { isDone(place) && known[batch.name(place)]?.outcome == .done }
  override var failedBefore: Int { done.count { known[batch.name($0)]?.outcome != .done } }

  // MARK: files

  /// The subfolder of a row's files; empty for none.
  private static func folder(of name: String) -> String { name.lastIndex(of: "/").map { String(name[..<$0]) } ?? "" }

  private static func stem(_ name: String, _ kind: String) -> String {
    TemporaryName.stem("\(name.dropFirst(folder(of: name).count).drop { $0 == "/" }).\(kind)")
  }

  /// Creates the folders for a row's files. A link in place of a folder leads elsewhere, so it is refused.
  private func makeFolder(of name: String) throws {
    let folder = Self.folder(of: name)
    guard !folder.isEmpty, !made.contains(folder) else { return }
    var below = path
    for part in folder.split(separator: "/") {
      below += "/\(part)"
      var status = stat()
      guard mkdir(below, 0o777) == 0 || errno == EEXIST else {
        throw Failure.unwritable(below, "the folder cannot be made")
      }
      guard lstat(below, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw Failure(.cannotWrite, "\(below): expected a folder for results, found something else of that name")
      }
    }
    made.insert(folder)
  }

  override func write(_ result: any MLFeatureProvider, at place: Int) throws {
    var files = try ResultFiles(path, batch.name(place), makeFolder)
    var others: [String] = []
    var hasArrays = false
    for output in result.featureNames.sorted() {
      let value = result.featureValue(for: output)
      if value?.type == .multiArray, value?.isUndefined == false {
        hasArrays = true
      } else if let kind = kinds.pictures[output], let picture = value?.imageBufferValue {
        try files.add(kind, ImageFiles.png(picture))
      } else {
        others.append(output)
      }
    }
    if !others.isEmpty { try files.add("json", RowOutputs.line(result, others, keep: batch.keep)) }
    if hasArrays { try files.add(arrays: RowOutputs.arrays(result)) }
    try add(files, place, .done)
  }

  override func encoder(_ blocks: TabularBlocks) -> (any BlockEncoder)? {
    // Arrays and pictures have separate files.
    guard batch.outputs.values.allSatisfy({ $0.type != .multiArray && $0.type != .image }) else { return nil }
    return BlockPrinter(blocks, keep: batch.keep, separator: nil)
  }

  override func write(encoded outputs: ArraySlice<UInt8>, at place: Int) throws {
    var files = try ResultFiles(path, batch.name(place), makeFolder)
    // Without the comma before the first member.
    try files.add("json", [0x7B] + outputs.dropFirst(2) + [0x7D, 0x0A])
    try add(files, place, .done)
  }

  override func write(failure: String, at place: Int) throws {
    var files = try ResultFiles(path, batch.name(place), makeFolder)
    try files.add("json", Array((batch.line(failure: failure, at: place) + "\n").utf8))
    try add(files, place, .failed)
  }

  override func skip(at place: Int) throws { try add(ResultFiles(path, batch.name(place)) { _ in }, place, .skipped) }

  private func add(_ files: ResultFiles, _ place: Int, _ outcome: RunRecord.Outcome) throws {
    let superseded = ours.contains(files.name) ? kinds.all.filter { files.digests[$0] == nil } : []
    pending.append(
      Row(
        name: files.name, entry: entry(place, outcome, result: files.result(kinds.all)), files: files.writers,
        superseded: superseded))
    for _ in 0..<max(files.writers.count, 1) { limit.add() }
    if limit.isReached { try flush() }
  }

  override func flush() throws {
    let rows = pending
    // Cleared first, so that a failed write is not retried on the way out.
    pending = []
    limit.clear()
    try FileWriter.commit(rows.flatMap(\.files))
    for row in rows {
      // A recorded error, or the output of another model.
      for kind in row.superseded { unlink("\(path)/\(row.name).\(kind)") }
    }
    try record.add(rows.map(\.entry))
  }

  override func finish() throws { try flush() }

  override var remains: String { "they are in \(path), and --resume goes on" }
}
