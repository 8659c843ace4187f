import Foundation

/// Decides which models the store keeps, and removes others. Active models, their previous versions, pinned and
/// personalised models and leased models are never removed.
struct StoreRetention: Sendable {
  let store: ModelStore
  /// The time in seconds during which a new model without a name is kept, because a name may be about to refer to it.
  private static let grace = 600.0

  /// Returns the digests of the models that must be kept: active models, their `previous` earlier versions, pinned
  /// models and personalised models. If the record of any name is damaged or unreadable, that name may refer to any
  /// model. Then all models must be kept.
  func needed(previous: Int) throws -> Set<String> {
    var needed = try store.pinned()
    for record in try store.personalRecords.all().values { needed.formUnion(record.models.map(\.tree)) }
    var lost = store.objects.damage.namesOfRecords()
    for name in try store.activeNames() {
      do {
        let all = try store.versions(name: name).versions
        needed.formUnion((all.prefix(1) + all.dropFirst().prefix(max(previous, 0))).map(\.digest))
        lost.remove(name)
      } catch let error as DeliveryError where [.damagedRecord, .unreadable].contains(error.code) {
        lost.insert(name)
      }
    }
    if !lost.isEmpty { needed.formUnion(try store.digests()) }
    return needed
  }

  /// Returns whether an unneeded model may be removed: its record says that it can be obtained again, or that a newer
  /// personalised model replaces it. A model with an unreadable record is kept until the record is repaired.
  func mayBeRemoved(_ digest: String) -> Bool {
    guard let stored = try? store.model(digest) else { return false }
    return stored.origin != .personal || stored.personalOf != nil
  }

  /// Removes a model, unless a process has leased it, or it is needed meanwhile.
  ///
  /// - Returns: whether the model was removed.
  func remove(_ digest: String, previous: Int) throws -> Bool {
    try store.leases.remove(digest) {
      try needed(previous: previous).contains(digest)
    } _: {
      try FolderReplacement.discard(store.folder(of: digest), through: store.staging)
    }
  }

  /// Makes room for a model of `bytes` bytes.
  ///
  /// - Throws: ``DeliveryError`` `storeFull` if the needed models leave too little room; `badSetting` if the limit is
  ///   invalid.
  func requireRoom(for bytes: Int64) throws {
    if let unreadableLimit = store.unreadableLimit { throw DeliveryError(.badSetting, unreadableLimit) }
    guard let limit = store.sizeLimit else { return }
    func taken() throws -> Int64 {
      try store.digests().reduce(0) { $0 + DiskUse.bytes(of: store.folder(of: $1)) }
        + store.damagedItems().reduce(0) { $0 + DiskUse.bytes(of: $1) }
    }
    func fits() throws -> Bool {
      let (total, overflow) = try taken().addingReportingOverflow(bytes)
      return !overflow && total <= limit
    }
    if try fits() { return }
    for url in store.damagedItems() {
      try FolderReplacement.discard(url, through: store.staging)
      if try fits() { return }
    }
    let needed = try needed(previous: 1)
    let unused = try store.digests().filter { !needed.contains($0) }.map {
      (digest: $0, used: DiskUse.modified(store.folder(of: $0)))
    }
    for item in unused.sorted(by: { ($0.used ?? .distantPast) < ($1.used ?? .distantPast) }) {
      guard let used = item.used, Date().timeIntervalSince(used) > Self.grace else { continue }
      guard mayBeRemoved(item.digest) else { continue }
      _ = try remove(item.digest, previous: 1)
      if try fits() { return }
    }
    throw DeliveryError(
      .storeFull,
      "the model takes \(bytes) bytes, and the store may take \(limit); models in use or kept by names take \(try taken()); "
        + "`runtime models remove` frees what is not wanted, COREML_STORE_SIZE_LIMIT or --store-limit allows more",
      file: store.places.data.path)
  }
}
