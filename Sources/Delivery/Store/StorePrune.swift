import Foundation

/// The limits of a prune operation.
public struct PrunePolicy: Sendable, Hashable {
  /// The maximum total size in bytes. Compiled models are removed until it is met, the least recently used first.
  public var maximumBytes: Int64?
  /// The age since the last use at which compiled models are removed.
  public var maximumAge: Duration?
  /// The minimum free space on the cache's file system in bytes. Compiled models are removed in the same order.
  public var minimumFree: Int64?
  /// The number of earlier versions to keep for each name.
  public var keepsPrevious = 1
  /// The time during which a model without a name is kept, because a name may be about to refer to it.
  public var grace: Duration = .seconds(3600)
  /// The time during which damaged items are kept for inspection.
  public var damagedAge: Duration = .seconds(30 * 86_400)
  /// Only reports what would be removed.
  public var isDryRun = false

  /// Creates a policy without limits, which removes only what nothing needs.
  public init() {}
}

/// The result of a prune operation.
public struct PruneReport: Sendable, Codable {
  /// A removed item.
  public struct Item: Sendable, Codable {
    /// Why an item was removed.
    public enum Reason: String, Sendable, Codable {
      /// It was left by an interrupted process.
      case orphaned
      /// It is a model that nothing needs.
      case unused
      /// It was not used for longer than ``PrunePolicy/maximumAge``.
      case age
      /// The total size exceeded ``PrunePolicy/maximumBytes``.
      case size
      /// The free space was below ``PrunePolicy/minimumFree``.
      case pressure
      /// It was set aside as damaged longer ago than ``PrunePolicy/damagedAge``.
      case damaged
    }
    /// The path of the removed file or folder.
    public let path: String
    /// Why it was removed.
    public let reason: Reason
    /// Its size on disk in bytes.
    public let bytes: Int64
  }
  /// The removed items, or those that a dry run would remove.
  public internal(set) var removed: [Item] = []
  /// The errors of items that could not be removed.
  public internal(set) var failed: [String] = []
  /// The total size on disk of the removed items, in bytes.
  public var bytes: Int64 { removed.reduce(0) { $0 + $1.bytes } }
}

extension ModelStore {
  /// Removes leftovers of interrupted processes, models that nothing needs, and compiled models as the policy says.
  ///
  /// These are never removed: leased, active and pinned models, the earlier versions that the policy keeps, and models
  /// trained on this device that are still in their record.
  ///
  /// - Throws: ``DeliveryError`` if the needed models cannot be determined; then no model is removed.
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

  /// Removes models that nothing needs and whose last use is older than the grace period.
  mutating func unusedModels() throws {
    let needed = try store.retention.needed(previous: policy.keepsPrevious)
    for digest in try store.digests() where !needed.contains(digest) {
      let url = store.folder(of: digest)
      guard let used = DiskUse.modified(url), Duration.seconds(Date().timeIntervalSince(used)) > policy.grace else {
        continue
      }
      guard store.retention.mayBeRemoved(digest) else { continue }
      let (store, policy) = (store, policy)
      remove(url, .unused) {
        try store.retention.remove(digest, previous: policy.keepsPrevious)
      }
    }
  }

  /// Removes compiled models, which can be recreated.
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

  /// Removes an item. A failure is recorded in the report.
  @discardableResult private mutating func remove(
    _ url: URL, _ reason: PruneReport.Item.Reason, _ body: () throws -> Bool
  ) -> Bool {
    let bytes = DiskUse.bytes(of: url)
    do {
      guard try policy.isDryRun || body() else { return false }
      report.removed.append(.init(path: url.path, reason: reason, bytes: bytes))
      return true
    } catch {
      // Another process may have removed it.
      if FileManager.default.fileExists(atPath: url.path) { report.failed.append("\(error)") }
      return false
    }
  }
}
