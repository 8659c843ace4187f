import Foundation

/// A folder for damaged items. An item is moved here atomically, which takes it out of use, and is kept for inspection.
/// Only the newest items are kept.
struct DamagedItems: Sendable {
  let folder: URL
  /// The maximum number of models kept.
  static let limit = 4
  var limit = Self.limit

  /// Identifies a folder, to detect that another one has replaced it.
  struct Identity: Equatable {
    let device: UInt64
    let inode: UInt64

    init?(_ url: URL) {
      var status = stat()
      guard lstat(url.path, &status) == 0 else { return nil }
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  /// Moves an item here, unless another one has replaced it since `seen` was read. Programs that have its files open
  /// can still use them.
  ///
  /// - Returns: the new path; nil if there was nothing to move.
  /// - Throws: ``DeliveryError`` `unwritable`.
  @discardableResult func setAside(_ url: URL, seen: Identity?) throws -> URL? {
    try DeliveryDirectories.makeFolder(folder)
    // The lock makes it less likely that two processes with the same finding move an item that was just repaired. It
    // cannot exclude this.
    let lock = FileLock(folder.appending(path: "aside.lock"))
    defer { withExtendedLifetime(lock) {} }
    if let seen, Identity(url) != seen { return nil }
    let random = String(UInt32.random(in: .min ... .max), radix: 36)
    let aside = folder.appending(path: "\(url.lastPathComponent)-\(Timestamp.now.seconds)-\(random)")
    guard rename(url.path, aside.path) == 0 else {
      if errno == ENOENT { return nil }
      throw DeliveryError(.unwritable, "what is damaged cannot be set aside", at: url, errno: errno)
    }
    if let seen, Identity(aside) != seen, try FolderReplacement.installIfAbsent(url, with: aside) { return nil }
    try FolderReplacement.synchronize(url.deletingLastPathComponent())
    _ = utimensat(AT_FDCWD, aside.path, nil, 0)
    trim(to: limit)
    return aside
  }

  /// Returns the kept items, oldest first.
  func items() -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { !$0.hasSuffix(".lock") && !$0.hasPrefix(".") }.map { folder.appending(path: $0) }
      .sorted { (DiskUse.modified($0) ?? .distantPast, $0.path) < (DiskUse.modified($1) ?? .distantPast, $1.path) }
  }

  /// Removes all but the newest items. An item that cannot be removed remains until the next call.
  func trim(to count: Int) {
    for url in items().dropLast(count) { try? FolderReplacement.discard(url, through: folder) }
  }
}
