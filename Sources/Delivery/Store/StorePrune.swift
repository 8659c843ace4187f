import Foundation

/// What may go.
public struct PrunePolicy: Sendable, Hashable {
  /// What all of it may take together, in bytes; what was not used for longest goes first.
  public var maximumBytes: Int64?
  /// What nobody used for so long goes.
  public var maximumAge: Duration?
  /// What must be free on the file systems; the same order.
  public var minimumFree: Int64?
  /// Versions that are kept before the active one of every name.
  public var keepsPrevious = 1
  /// A model that no name uses is kept so long: somebody may be about to give it one.
  public var grace: Duration = .seconds(3600)
  /// What was found damaged is kept so long, for whoever wants to look at it.
  public var damagedAge: Duration = .seconds(30 * 86_400)
  /// Only says what would go.
  public var isDryRun = false

  /// A policy without limits: only what nothing needs goes.
  public init() {}
}

/// What went.
public struct PruneReport: Sendable, Codable {
  /// Something that went.
  public struct Item: Sendable, Codable {
    /// Why something goes.
    public enum Reason: String, Sendable, Codable {
      /// An interrupted process left it.
      case orphaned
      /// A model that no name needs.
      case unused
      /// Nobody used it for longer than ``PrunePolicy/maximumAge``.
      case age
      /// All of it together took more than ``PrunePolicy/maximumBytes``.
      case size
      /// Less was free than ``PrunePolicy/minimumFree``.
      case pressure
      /// It was set aside as damaged, longer ago than ``PrunePolicy/damagedAge``.
      case damaged
    }
    /// Where it stood: a file or a folder.
    public let path: String
    /// Why it went.
    public let reason: Reason
    /// What it took on disk, in bytes.
    public let bytes: Int64
  }
  /// What went; in a dry run, what would go.
  public internal(set) var removed: [Item] = []
  /// What could not be removed, each as the text of its error.
  public internal(set) var failed: [String] = []
  /// What all that went took on disk, in bytes.
  public var bytes: Int64 { removed.reduce(0) { $0 + $1.bytes } }
}

extension ModelStore {
  /// Removes what interrupted processes left, models that nothing needs, and of the compiled forms what the policy says. Never goes: what
  /// is in use, what a name stands for, the versions before that the policy keeps, what is pinned, and models trained on this device,
  /// unless another has taken their place in their record.
  ///
  /// - Throws: ``DeliveryError`` when it cannot be told what is needed; nothing is removed on a guess.
  public func prune(_ policy: PrunePolicy, _ cache: CompiledModelCache) throws -> PruneReport {
    var run = PruneRun(store: self, cache: cache, policy: policy)
    try run.orphans()
    run.damaged()
    try run.unusedModels()
    try run.compiledModels()
    if !policy.isDryRun { DeliveryMetrics.pruned(run.report) }
    return run.report
  }
}

private struct PruneRun {
  let store: ModelStore
  let cache: CompiledModelCache
  let policy: PrunePolicy
  var report = PruneReport()

  mutating func orphans() throws {
    for url in store.orphans(cache) {
      remove(url, .orphaned) {
        try FolderReplacement.remove(url)
        return true
      }
    }
  }

  mutating func damaged() {
    for url in store.damagedItems() + cache.damagedItems() {
      guard let set = DiskUse.modified(url), Duration.seconds(Date().timeIntervalSince(set)) > policy.damagedAge else {
        continue
      }
      let trash = url.deletingLastPathComponent()
      remove(url, .damaged) {
        try FolderReplacement.discard(url, through: trash)
        return true
      }
    }
  }

  /// Models that no name needs; those of longest ago first.
  mutating func unusedModels() throws {
    let needed = try store.needed(previous: policy.keepsPrevious)
    for digest in try store.digests() where !needed.contains(digest) {
      let url = store.folder(of: digest)
      guard let used = DiskUse.modified(url), Duration.seconds(Date().timeIntervalSince(used)) > policy.grace else {
        continue
      }
      guard store.mayBeRemoved(digest) else { continue }
      let (store, policy) = (store, policy)
      remove(url, .unused) {
        try store.leases.remove(digest) {
          try store.needed(previous: policy.keepsPrevious).contains(digest)
        } _: {
          try FolderReplacement.discard(url, through: store.staging)
        }
      }
    }
  }

  /// Compiled forms: each can be made again.
  mutating func compiledModels() throws {
    var entries = cache.entries().sorted { $0.lastUse < $1.lastUse }
    if let age = policy.maximumAge {
      for entry in entries where Duration.seconds(Date().timeIntervalSince(entry.lastUse)) > age {
        remove(entry, .age)
        entries.removeAll { $0.url == entry.url }
      }
    }
    if let most = policy.maximumBytes {
      var total = try store.usage(cache).total - (policy.isDryRun ? report.bytes : 0)
      while total > most, !entries.isEmpty {
        let entry = entries.removeFirst()
        if remove(entry, .size) { total -= entry.bytes }
      }
    }
    if let free = policy.minimumFree {
      var gained: Int64 = policy.isDryRun ? report.bytes : 0
      while let now = DiskUse.free(at: cache.directory), now + gained < free, !entries.isEmpty {
        let entry = entries.removeFirst()
        if remove(entry, .pressure), policy.isDryRun { gained += entry.bytes }
      }
    }
  }

  @discardableResult private mutating func remove(
    _ entry: CompiledModelCache.Entry, _ reason: PruneReport.Item.Reason
  ) -> Bool {
    let cache = cache
    return remove(entry.url, reason) { try cache.remove(entry.url) }
  }

  /// What cannot be removed is told and left.
  @discardableResult private mutating func remove(
    _ url: URL, _ reason: PruneReport.Item.Reason, _ body: () throws -> Bool
  ) -> Bool {
    let bytes = DiskUse.bytes(of: url)
    do {
      guard try policy.isDryRun || body() else { return false }
      report.removed.append(.init(path: url.path, reason: reason, bytes: bytes))
      return true
    } catch {
      // Another process may have done it.
      if FileManager.default.fileExists(atPath: url.path) { report.failed.append("\(error)") }
      return false
    }
  }
}
