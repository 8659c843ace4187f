import CoreML
import CoreMLSpec
import FeatureFiles
import Foundation

/// A folder: `<row name>.npz` for arrays and `<row name>.json` for all else. A row is recorded once its files stand. One that is not
/// what it was when they were written is predicted anew.
final class FolderSink: BatchSink {
  private let path: String
  private let record: RunRecord
  /// What earlier runs did that began as this one does.
  private var known: [String: RunRecord.Entry] = [:]
  /// Rows whose files are known to be those of earlier runs.
  private let ours: Set<String>
  /// The kind of file that is written last: where it stands, the row is complete.
  private let last: String
  /// Folders below this one that are there.
  private var made: Set<String> = []

  init(_ path: String, _ batch: Batch) throws {
    self.path = path
    last = batch.hasArrays ? "npz" : "json"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw Failure(.cannotWrite, "\(path): the folder cannot be made: \(Failure.reason(error))")
    }
    record = try RunRecord(of: path, share: batch.share)
    ours = Set(record.entries.map(\.name))
    super.init(batch)
    try (batch.rows as? FolderRows)?.check(output: path)
    try (batch.rows as? FileRows)?.check(output: path)
    let names = Set(batch.places.map { batch.rows.name($0) })
    for (folder, names) in Dictionary(grouping: names, by: Self.folder) {
      let stems = Set(names.flatMap { name in ["json", "npz"].map { Self.stem(name, $0) } })
      Self.sweep(folder.isEmpty ? path : "\(path)/\(folder)") { stems.contains($0) }
    }
    var beginning = try batch.beginning()
    // Each row has files of its own: it is all one who wrote them.
    beginning["--shard"] = nil
    if batch.resume { try takeUp(beginning, names) }
    if record.beginning == nil || !batch.resume {
      record.removeOthers(of: path, share: batch.share)
      try record.begin(beginning)
      for entry in known.values where names.contains(entry.name) { try record.add(entry) }
    }
  }

  private func takeUp(_ beginning: RunRecord.Beginning, _ names: Set<String>) throws {
    let others = record.others(of: path, beganAs: beginning)
    if record.beginning != nil || others.isEmpty && names.contains(where: stands) {
      try record.check(beginning, path)
    }
    for entry in others + record.entries { known[entry.name] = entry }
  }

  private func stands(_ name: String) -> Bool {
    ["npz", "json"].contains { access("\(path)/\(name).\($0)", F_OK) == 0 }
  }

  override func isDone(_ place: Int) -> Bool {
    guard let entry = known[batch.name(place)], entry.fingerprint == batch.rows.fingerprint(batch.places[place])
    else { return false }
    switch entry.outcome {
    case .skipped: return true
    case .failed: return access("\(path)/\(entry.name).json", F_OK) == 0
    case .done: return access("\(path)/\(entry.name).\(last)", F_OK) == 0
    }
  }

  override var failedBefore: Int {
    batch.places.indices.count { known[batch.name($0)].map { $0.outcome != .done } == true && isDone($0) }
  }

  /// The folder below this one that a row's files lie in; empty for this one.
  private static func folder(of name: String) -> String { name.lastIndex(of: "/").map { String(name[..<$0]) } ?? "" }

  private static func stem(_ name: String, _ kind: String) -> String {
    PrivateName.stem("\(name.dropFirst(folder(of: name).count).drop { $0 == "/" }).\(kind)")
  }

  /// Makes the folders that a row's files lie in. A link that stands in place of one leads elsewhere, and is refused.
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
    let name = batch.name(place)
    try makeFolder(of: name)
    let others = result.featureNames.filter { result.featureValue(for: $0)?.type != .multiArray }.sorted()
    if others.isEmpty {
      // An error that an earlier run left.
      removeResult(name, ["json"])
    } else {
      try RowOutputs.writeValues(result, others, keep: batch.keep, "\(path)/\(name).json")
    }
    if others.count < result.featureNames.count { try RowOutputs.writeArrays(result, "\(path)/\(name).npz") }
    try record.add(batch.entry(place, .done))
  }

  override func write(failure: String, at place: Int) throws {
    let name = batch.name(place)
    try makeFolder(of: name)
    removeResult(name, ["npz"])
    try RowOutputs.write(batch.line(failure: failure, at: place), "\(path)/\(name).json")
    try record.add(batch.entry(place, .failed))
  }

  override func skip(at place: Int) throws {
    removeResult(batch.name(place), ["npz", "json"])
    try record.add(batch.entry(place, .skipped))
  }

  /// What an earlier run made of the row is not its result any more.
  private func removeResult(_ name: String, _ kinds: [String]) {
    for kind in kinds where ours.contains(name) { unlink("\(path)/\(name).\(kind)") }
  }

  override var remains: String { "they are in \(path), and --resume goes on" }
}
