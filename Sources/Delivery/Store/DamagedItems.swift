import Foundation

/// Where what was found damaged is kept apart: out of use at once, in one step, and there for whoever wants to look at it. Only the newest
/// few stay.
struct DamagedItems: Sendable {
  let folder: URL
  /// So many models are kept.
  static let limit = 4
  var limit = Self.limit

  /// What tells a folder from another that has taken its place since.
  struct Identity: Equatable {
    let device: UInt64
    let inode: UInt64

    init?(_ url: URL) {
      var status = stat()
      guard lstat(url.path, &status) == 0 else { return nil }
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  /// Moves an item here, unless another has taken its place since it was looked at. Programs that have its files open keep them.
  ///
  /// - Returns: where it is now; nil when there was nothing to move.
  /// - Throws: ``DeliveryError`` `unwritable`.
  @discardableResult func setAside(_ url: URL, seen: Identity?) throws -> URL? {
    try DeliveryDirectories.makeFolder(folder)
    // Keeps two that found the same from moving what the first has put in its place; it only makes that rarer.
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

  /// What is kept, the oldest first.
  func items() -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { !$0.hasSuffix(".lock") && !$0.hasPrefix(".") }.map { folder.appending(path: $0) }
      .sorted { (DiskUse.modified($0) ?? .distantPast, $0.path) < (DiskUse.modified($1) ?? .distantPast, $1.path) }
  }

  /// Removes all but the newest; what cannot be removed stays for the next time.
  func trim(to count: Int) {
    for url in items().dropLast(count) { try? FolderReplacement.discard(url, through: folder) }
  }
}
