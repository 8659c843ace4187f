import CoreMLBase
import CoreMLSpec
import Foundation

/// The health of all models of one name on this device:
///
///     TREE/<process>~<random>.health    the counts of one process
///     TREE/proven                       the model is proven
///     TREE/blocked.json                 why the model is blocked
///
/// Each file is written by only one process or is a permanent mark, so processes need no locks.
struct HealthStore: Sendable {
  static let recordExtension = "health"
  /// The maximum number of count files of a proven model, and of other models.
  private static let kept = (proven: 32, other: 512)

  let folder: URL

  func folder(of tree: String) -> URL { folder.appending(path: tree, directoryHint: .isDirectory) }

  func recorder(of tree: String) -> HealthRecorder { HealthRecorder(in: folder(of: tree)) }

  // MARK: counts

  /// Returns the sum of the counts of all processes.
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

  /// Returns whether the process that writes the file has died. An end of the whole machine does not count.
  private func hasDied(_ file: URL) -> Bool {
    guard let token = file.lastPathComponent.split(separator: "~").first, let owner = PartialOwner(token: token) else {
      return false
    }
    switch owner.state {
    case .alive, .beforeRestart: return false
    case .gone: return true
    case .elsewhere:
      // A process in another container, or in an earlier run of this one. A living process holds a lock on its file, if
      // the file system supports locks. Otherwise the age of the file decides, because a predicting process writes
      // continuously.
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

  /// Removes the oldest count files of ended processes.
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

  /// Marks a model as proven. Returns whether this is new.
  func prove(_ tree: String) throws -> Bool {
    if isProven(tree) { return false }
    try DurableFile.write(Array("proven\n".utf8), to: proof(tree))
    return true
  }

  // MARK: blocks

  private func block(_ tree: String) -> URL { folder(of: tree).appending(path: "blocked.json") }

  /// Blocks a model. Returns whether this is new.
  func block(_ tree: String, _ block: ModelBlock) throws -> Bool {
    if self.block(of: tree, runtime: block.runtimeVersion) != nil { return false }
    try DurableFile.write(json: block, to: self.block(tree))
    return true
  }

  /// Returns the block of a model for a runtime build; nil if there is none. Blocks of other builds do not apply,
  /// because another build may run the model. Manual blocks apply to all builds.
  ///
  /// An unreadable block still blocks the model, so that a faulty model is never tried again by mistake.
  func block(of tree: String, runtime: String) -> ModelBlock? {
    do {
      guard let block = try DurableFile.read(json: ModelBlock.self, at: block(tree)) else { return nil }
      return block.runtimeVersion == runtime || block.reason == .byHand ? block : nil
    } catch {
      return ModelBlock(reason: .byHand, message: "\(error)", release: nil, date: .now, runtimeVersion: runtime)
    }
  }

  /// Returns the blocks of all models, by tree digest.
  func blocks(runtime: String) -> [String: ModelBlock] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return Dictionary(
      uniqueKeysWithValues: names.filter(TreeDigest.isDigest).compactMap { tree in
        block(of: tree, runtime: runtime).map { (tree, $0) }
      })
  }

  /// Removes the blocks with a reason, regardless of the runtime build.
  func forgetBlocks(for reason: RollbackReason) throws {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for tree in names where TreeDigest.isDigest(tree) {
      let block = (try? DurableFile.read(json: ModelBlock.self, at: block(tree))).flatMap { $0 }
      if block?.reason == reason { try forget(tree) }
    }
  }

  /// The age in seconds at which the health of a removed model is deleted, unless the model is blocked.
  private static let forgotten: Double = 90 * 86_400

  /// Returns whether the health of a model is obsolete. Blocks never are, because the channel may offer the model
  /// again.
  func isForgotten(_ tree: String) -> Bool {
    TreeDigest.isDigest(tree) && !FileManager.default.fileExists(atPath: block(tree).path)
      && Staging.age(of: folder(of: tree)) > Self.forgotten
  }

  /// Removes all health data of a model, so that it may be tried again.
  func forget(_ tree: String) throws {
    let folder = folder(of: tree)
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    try FolderReplacement.discard(folder, through: self.folder)
  }
}

/// Why a model is blocked on this device.
public struct ModelBlock: Sendable, Hashable, Codable {
  /// The reason as a stable code.
  public let reason: RollbackReason
  /// A readable description.
  public let message: String
  /// The number of the model's release; nil for a personalised model.
  public let release: Int?
  /// When it was blocked.
  public let date: Timestamp
  /// The runtime version and build that found the fault; the block applies only to it.
  public let runtimeVersion: String
}
