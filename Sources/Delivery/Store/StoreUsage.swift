import Foundation

/// What models and caches take on disk, by what they are.
public struct StoreUsage: Sendable, Codable {
  /// Something that takes room.
  public struct Item: Sendable, Codable {
    /// What it is, and so whether it may go.
    public enum Kind: String, Sendable, Codable, CaseIterable {
      /// Models that names stand for.
      case active
      /// Versions before those.
      case previous
      /// Models that are kept because they are pinned.
      case pinned
      /// Models that nothing keeps.
      case unused
      /// Models that were put into the folder of models by hand.
      case other
      /// Compiled forms of source models.
      case compiled
      /// All else in the cache: device programs, measurements, digests.
      case cache
      /// What interrupted processes left.
      case orphaned
      /// What was found damaged and is kept apart.
      case damaged
    }
    /// What it is.
    public let kind: Kind
    /// The digest of a model of the store, or the path.
    public let name: String
    /// Names of models that stand for it.
    public let usedBy: [String]
    /// Of a compiled form: the name of the model that it was made of, and its digest.
    public var source: String?
    /// The digest of the model that a compiled form was made of, where it is known.
    public var sourceDigest: String?
    /// What it takes on disk, in bytes.
    public let bytes: Int64
  }

  /// All that was found.
  public let items: [Item]
  /// Free on the file systems of the data and of the cache folder; nil where it cannot be told.
  public let freeForData: Int64?
  /// Bytes that are free on the file system of the cache folder; nil where it cannot be told.
  public let freeForCache: Int64?

  /// What all of a kind takes on disk, in bytes.
  public func bytes(_ kind: Item.Kind) -> Int64 { items.filter { $0.kind == kind }.reduce(0) { $0 + $1.bytes } }
  /// The bytes of all items together.
  public var total: Int64 { items.reduce(0) { $0 + $1.bytes } }
}

extension ModelStore {
  /// What everything takes on disk now, models, caches and leftovers.
  ///
  /// - Parameter cache: the compiled models.
  /// - Throws: ``DeliveryError`` when a folder or record cannot be read.
  public func usage(_ cache: CompiledModelCache) throws -> StoreUsage {
    var items: [StoreUsage.Item] = []
    var (active, previous) = ([String: [String]](), [String: [String]]())
    for name in try activeNames() {
      let versions: [InstalledVersions.Version]
      do { versions = try self.versions(name: name).versions } catch let error as DeliveryError
        where error.code == .damagedRecord
      {
        // What it keeps is told by `cache verify`.
        continue
      }
      if let first = versions.first { active[first.digest, default: []].append(name) }
      for version in versions.dropFirst() { previous[version.digest, default: []].append(name) }
    }
    for (name, record) in try personalRecords() {
      for (index, model) in record.models.enumerated() {
        if index == 0 {
          active[model.tree, default: []].append(name)
        } else {
          previous[model.tree, default: []].append(name)
        }
      }
    }
    let pinned = try pinned()
    for digest in try digests() {
      let kind: StoreUsage.Item.Kind =
        active[digest] != nil
        ? .active : pinned.contains(digest) ? .pinned : previous[digest] != nil ? .previous : .unused
      items.append(
        .init(
          kind: kind, name: digest, usedBy: (active[digest] ?? []) + (previous[digest] ?? []),
          bytes: DiskUse.bytes(of: folder(of: digest))))
    }
    for model in try InstalledModels(self).all() where model.stored == nil {
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
    for url in orphans(cache) {
      items.append(.init(kind: .orphaned, name: url.path, usedBy: [], bytes: DiskUse.bytes(of: url)))
    }
    let aside = cache.damagedItems()
    for url in damagedItems() + aside {
      items.append(.init(kind: .damaged, name: url.path, usedBy: [], bytes: DiskUse.bytes(of: url)))
    }
    let rest = DiskUse.bytes(of: places.cache) - compiled - aside.reduce(0) { $0 + DiskUse.bytes(of: $1) }
    if rest > 0 { items.append(.init(kind: .cache, name: places.cache.path, usedBy: [], bytes: rest)) }
    let usage = StoreUsage(
      items: items, freeForData: DiskUse.free(at: places.data), freeForCache: DiskUse.free(at: places.cache))
    DeliveryMetrics.measured(usage)
    return usage
  }

  /// What interrupted processes left, in the store and in the cache.
  func orphans(_ cache: CompiledModelCache) -> [URL] {
    let folders = [
      staging, objects, pins, personal, places.models, places.verdicts, places.cache, places.data,
    ]
    return folders.flatMap { Staging.orphans(in: $0) } + Staging.orphans(below: places.state)
      + Staging.orphans(below: places.downloads) + leases.orphans() + cache.orphans()
      + Staging.forgottenFiles(below: places.downloads)
  }
}
