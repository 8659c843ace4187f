import CoreMLBase
import CoreMLSpec
import Foundation

/// What a device knows of the models of one name from having used them:
///
///     TREE/<process>~<random>.health    what a process counted
///     TREE/proven                       the model has proved itself
///     TREE/blocked.json                 the model was taken back, and why
///
/// Every file is written by one process only or says one thing for good, so any number of processes may keep the book without locks.
struct HealthStore: Sendable {
  static let recordExtension = "health"
  /// Of a model that has proved itself the counts of so many processes are kept; of others, of more.
  private static let kept = (proven: 32, other: 512)

  let folder: URL

  func folder(of tree: String) -> URL { folder.appending(path: tree, directoryHint: .isDirectory) }

  func recorder(of tree: String) -> HealthRecorder { HealthRecorder(in: folder(of: tree)) }

  // MARK: counts

  /// What all processes have counted.
  func counts(of tree: String) -> HealthCounts {
    var sum = HealthCounts()
    for file in files(of: tree) {
      guard let bytes = OpenFile.contents(atPath: file.path, limit: 1 << 16), let record = HealthRecord(bytes) else {
        continue
      }
      sum.add(record.counts)
      if record.running > 0 && hasDied(file) { sum.crashes += 1 }
    }
    return sum
  }

  /// Whether the process that writes the file has ended. One that the machine's own end took along has not died of the model.
  private func hasDied(_ file: URL) -> Bool {
    guard let token = file.lastPathComponent.split(separator: "~").first, let owner = PartialOwner(token: token) else {
      return false
    }
    switch owner.state {
    case .alive, .beforeRestart: return false
    case .gone: return true
    case .elsewhere:
      // Another container, perhaps this one's life before: it holds its file as long as it lives, where the file system has locks. A
      // process that predicts writes all the time, so that on one without locks time tells.
      guard Staging.age(of: file) > 60 else { return false }
      let descriptor = open(file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
  }

  private func files(of tree: String) -> [URL] {
    let folder = folder(of: tree)
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
      .filter { $0.hasSuffix(".\(Self.recordExtension)") }.map { folder.appending(path: $0) }
  }

  /// Drops the oldest counts of processes that are no more.
  func trim(_ tree: String) {
    let all = files(of: tree)
    let most = isProven(tree) ? Self.kept.proven : Self.kept.other
    guard all.count > most else { return }
    let byAge = all.map { ($0, DiskUse.modified($0) ?? .distantPast) }.sorted { $0.1 < $1.1 }.map(\.0)
    for file in byAge.prefix(all.count - most) {
      let owner = file.lastPathComponent.split(separator: "~").first.flatMap { PartialOwner(token: $0) }
      if owner?.state != .alive { unlink(file.path) }
    }
  }

  // MARK: proof

  private func proof(_ tree: String) -> URL { folder(of: tree).appending(path: "proven") }

  func isProven(_ tree: String) -> Bool { FileManager.default.fileExists(atPath: proof(tree).path) }

  /// Notes that a model has proved itself; says whether that is new.
  func prove(_ tree: String) throws -> Bool {
    if isProven(tree) { return false }
    try DurableFile.write(Array("proven\n".utf8), to: proof(tree))
    return true
  }

  // MARK: blocks

  private func block(_ tree: String) -> URL { folder(of: tree).appending(path: "blocked.json") }

  /// Blocks a model; says whether that is new.
  func block(_ tree: String, _ block: ModelBlock) throws -> Bool {
    if self.block(of: tree, runtime: block.runtimeVersion) != nil { return false }
    try DurableFile.write(json: block, to: self.block(tree))
    return true
  }

  /// Why a model is blocked for a build of the runtime: another one may run what this one cannot. What a person has said holds for all.
  ///
  /// A block that cannot be read is one: what was once found bad is not tried again on a guess.
  func block(of tree: String, runtime: String) -> ModelBlock? {
    do {
      guard let block = try DurableFile.read(json: ModelBlock.self, at: block(tree)) else { return nil }
      return block.runtimeVersion == runtime || block.reason == .byHand ? block : nil
    } catch {
      return ModelBlock(reason: .byHand, message: "\(error)", release: nil, date: .now, runtimeVersion: runtime)
    }
  }

  /// All blocked models, by their digests.
  func blocks(runtime: String) -> [String: ModelBlock] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return Dictionary(
      uniqueKeysWithValues: names.filter(TreeDigest.isDigest).compactMap { tree in
        block(of: tree, runtime: runtime).map { (tree, $0) }
      })
  }

  /// Forgets the models that are blocked for a reason, whatever build of the runtime found it.
  func forgetBlocks(for reason: RollbackReason) throws {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for tree in names where TreeDigest.isDigest(tree) {
      let block = (try? DurableFile.read(json: ModelBlock.self, at: block(tree))).flatMap { $0 }
      if block?.reason == reason { try forget(tree) }
    }
  }

  /// What is known of a model that is long gone and was not bad.
  private static let forgotten: Double = 90 * 86_400

  /// Whether what is known of a model serves nobody any more. Blocks do, as long as a channel may offer the model.
  func isForgotten(_ tree: String) -> Bool {
    TreeDigest.isDigest(tree) && !FileManager.default.fileExists(atPath: block(tree).path)
      && Staging.age(of: folder(of: tree)) > Self.forgotten
  }

  /// Forgets all of a model: it may be tried again.
  func forget(_ tree: String) throws {
    let folder = folder(of: tree)
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    try FolderReplacement.discard(folder, through: self.folder)
  }
}

/// Why a device does not use a model any more.
public struct ModelBlock: Sendable, Hashable, Codable {
  /// What it was left for, for programs.
  public let reason: RollbackReason
  /// For people.
  public let message: String
  /// The number of the release that it came as.
  public let release: Int?
  /// When it was blocked.
  public let date: Timestamp
  /// A block holds for the version of the runtime that it was found with, and for that build of it.
  public let runtimeVersion: String
}
