import Foundation

/// The store keeps to its limit: what nothing needs makes room for what is added. What a name stands for and the version before it, what a
/// pin or a record keeps, and what is in use never does.
extension ModelStore {
  /// How long a model is left alone that no name uses yet: somebody may be about to give it one.
  private static let grace = 600.0

  /// Whether a model that nothing needs may go: its record says that it can be had again, or that another has taken its place. One whose
  /// record cannot be read stays until that is mended.
  func mayBeRemoved(_ digest: String) -> Bool {
    guard let stored = try? model(digest) else { return false }
    return stored.origin != .personal || stored.personalOf != nil
  }

  /// Makes room for a model.
  ///
  /// - Throws: ``DeliveryError`` `storeFull` when what is needed leaves too little, `badSetting` when the limit cannot be read.
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
