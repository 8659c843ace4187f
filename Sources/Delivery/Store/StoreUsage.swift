import Foundation

/// The disk usage of models and caches, by kind.
public struct StoreUsage: Sendable, Codable {
  /// An item that uses disk space.
  public struct Item: Sendable, Codable {
    /// The kind of an item, which determines whether it can be removed.
    public enum Kind: String, Sendable, Codable, CaseIterable {
      /// Active models of names.
      case active
      /// Earlier versions of names.
      case previous
      /// Pinned models.
      case pinned
      /// Models that nothing keeps.
      case unused
      /// Models that the user put into the folder of models.
      case other
      /// Compiled models of source models.
      case compiled
      /// Other cache content: device programs, measurements, digests.
      case cache
      /// Leftovers of interrupted processes.
      case orphaned
      /// Damaged items that were set aside.
      case damaged
    }
    /// The kind of the item.
    public let kind: Kind
    /// The digest of a stored model, or the path.
    public let name: String
    /// The model names that refer to it.
    public let usedBy: [String]
    /// The name of the source model of a compiled model.
    public var source: String?
    /// The digest of the source model of a compiled model, if it is known.
    public var sourceDigest: String?
    /// Its size on disk in bytes.
    public let bytes: Int64
  }

  /// All items.
  public let items: [Item]
  /// The free space on the file system of the data folder in bytes; nil if it is unknown.
  public let freeForData: Int64?
  /// The free space on the file system of the cache folder in bytes; nil if it is unknown.
  public let freeForCache: Int64?

  /// Returns the disk usage of all items of a kind, in bytes.
  public func bytes(_ kind: Item.Kind) -> Int64 { items.filter { $0.kind == kind }.reduce(0) { $0 + $1.bytes } }
  /// The disk usage of all items in bytes.
  public var total: Int64 { items.reduce(0) { $0 + $1.bytes } }
}

extension StoreUsage {
  /// Measures the disk usage of models, caches and leftovers.
  fileprivate init(of store: ModelStore, _ cache: CompiledModelCache) throws {
    var items: [StoreUsage.Item] = []
    var (active, previous) = ([String: [String]](), [String: [String]]())
    for name in try store.activeNames() {
      let versions: [InstalledVersions.Version]
      do { versions = try store.versions(name: name).versions } catch let error as DeliveryError
        where error.code == .damagedRecord
      {
        // `cache verify` reports damaged records.
        continue
      }
      if let first = versions.first { active[first.digest, default: []].append(name) }
      for version in versions.dropFirst() { previous[version.digest, default: []].append(name) }
    }
    for (name, record) in try store.personalRecords.all() {
      for (index, model) in record.models.enumerated() {
        if index == 0 {
          active[model.tree, default: []].append(name)
        } else {
          previous[model.tree, default: []].append(name)
        }
      }
    }
    let pinned = try store.pinned()
    for digest in try store.digests() {
      let kind: StoreUsage.Item.Kind =
        active[digest] != nil
        ? .active : pinned.contains(digest) ? .pinned : previous[digest] != nil ? .previous : .unused
      items.append(
        .init(
          kind: kind, name: digest, usedBy: (active[digest] ?? []) + (previous[digest] ?? []),
          bytes: DiskUse.bytes(of: store.folder(of: digest))))
    }
    for model in try InstalledModels(store).all() where model.stored == nil {
      items.append(.init(kind: .other, name: model.url.path, usedBy: [model.name], bytes: DiskUse.bytes(of: model.url)))
    }
    var compiled: Int64 = 0
    for entry in cache.entries() {
      let (source, digest) = cache.source(of: entry.url)
      let names = digest.map { (active[$0] ?? []) + (previous[$0] ?? []) } ?? []
      items.append(
        .init(
          kind: .compiled, name: entry.url.path, usedBy: names, source: source, sourceDigest: digest, bytes: entry.bytes
        ))
      compiled += entry.bytes
    }
    for url in store.orphans(cache) {
      items.append(.init(kind: .orphaned, name: url.path, usedBy: [], bytes: DiskUse.bytes(of: url)))
    }
    let aside = cache.damagedItems()
    for url in store.damagedItems() + aside {
      items.append(.init(kind: .damaged, name: url.path, usedBy: [], bytes: DiskUse.bytes(of: url)))
    }
    let rest = DiskUse.bytes(of: store.places.cache) - compiled - aside.reduce(0) { $0 + DiskUse.bytes(of: $1) }
    if rest > 0 { items.append(.init(kind: .cache, name: store.places.cache.path, usedBy: [], bytes: rest)) }
    self.items = items
    freeForData = DiskUse.free(at: store.places.data)
    freeForCache = DiskUse.free(at: store.places.cache)
  }
}

extension ModelStore {
  /// Measures the disk usage of models, caches and leftovers.
  ///
  /// - Parameter cache: the compiled models.
  /// - Throws: ``DeliveryError`` if a folder or record cannot be read.
  public func usage(_ cache: CompiledModelCache) throws -> StoreUsage {
    let usage = try StoreUsage(of: self, cache)
    DeliveryMetrics.measured(usage)
    return usage
  }

  /// Returns the leftovers of interrupted processes in the store and the cache.
  func orphans(_ cache: CompiledModelCache) -> [URL] {
    let folders = [
      staging, objects.folder, pins, personalRecords.folder, places.models, places.verdicts, places.cache, places.data,
    ]
    return folders.flatMap { Staging.orphans(in: $0) } + Staging.orphans(below: places.state)
      + Staging.orphans(below: places.downloads) + leases.orphans() + cache.orphans()
      + Staging.forgottenFiles(below: places.downloads)
  }
}
