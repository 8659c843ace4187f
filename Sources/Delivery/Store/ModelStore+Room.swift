import Foundation

/// The size limit of the store. Models that nothing needs are removed to make room. Active models, their previous
/// versions, pinned and personalised models and leased models are never removed.
extension ModelStore {
  /// The time in seconds during which a new model without a name is kept, because a name may be about to refer to it.
  private static let grace = 600.0

  /// Returns whether an unneeded model may be removed: its record says that it can be obtained again, or that a newer
  /// personalised model replaces it. A model with an unreadable record is kept until the record is repaired.
  func mayBeRemoved(_ digest: String) -> Bool {
    guard let stored = try? model(digest) else { return false }
    return stored.origin != .personal || stored.personalOf != nil
  }

  /// Makes room for a model of `bytes` bytes.
  ///
  /// - Throws: ``DeliveryError`` `storeFull` if the needed models leave too little room; `badSetting` if the limit is
  ///   invalid.
  func requireRoom(for bytes: Int64) throws {
    if let unreadableLimit { throw DeliveryError(.badSetting, unreadableLimit) }
    guard let limit = sizeLimit else { return }
    func taken() throws -> Int64 {
      try digests().reduce(0) { $0 + DiskUse.bytes(of: folder(of: $1)) }
        + damagedItems().reduce(0) { $0 + DiskUse.bytes(of: $1) }
    }
    func fits() throws -> Bool {
      let (total, overflow) = try taken().addingReportingOverflow(bytes)
      return !overflow && total <= limit
    }
    if try fits() { return }
    for url in damagedItems() {
      try FolderReplacement.discard(url, through: staging)
      if try fits() { return }
    }
    let needed = try needed(previous: 1)
    let unused = try digests().filter { !needed.contains($0) }.map {
      (digest: $0, used: DiskUse.modified(folder(of: $0)))
    }
    for item in unused.sorted(by: { ($0.used ?? .distantPast) < ($1.used ?? .distantPast) }) {
      guard let used = item.used, Date().timeIntervalSince(used) > Self.grace else { continue }
      guard mayBeRemoved(item.digest) else { continue }
      _ = try leases.remove(item.digest) {
        try self.needed(previous: 1).contains(item.digest)
      } _: {
        try FolderReplacement.discard(folder(of: item.digest), through: staging)
      }
      if try fits() { return }
    }
    throw DeliveryError(
      .storeFull,
      "the model takes \(bytes) bytes, and the store may take \(limit), of which \(try taken()) are in use or kept by names; "
        + "`runtime models remove` frees what is not wanted, COREML_STORE_SIZE_LIMIT or --store-limit allows more",
      file: places.data.path)
  }
}
