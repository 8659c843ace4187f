import Foundation

/// Protects items in use from removal by any process, without locks.
///
/// A lease is a file named after the process that holds it, and so is a removal mark. A lessee writes its lease, then
/// checks for removal marks. A remover writes its mark, then checks for leases and gives way. In any interleaving, at
/// least one of the two sees the other. Files left by killed processes do not count.
struct LeaseTable: Sendable {
  let folder: URL

  private enum Kind: String { case lease, removal }
  private static let patience = 5.0

  /// Acquires a lease on `key`, which must be valid in a file name. The item may already be removed, so the caller must
  /// check that it still exists.
  ///
  /// - Throws: ``DeliveryError`` `beingRemoved` if a removal does not end within the timeout; `unwritable`.
  func lease(_ key: String) throws -> ModelLease {
    let lease = ModelLease(try mark(key, .lease))
    let deadline = ContinuousClock.now + .seconds(Self.patience)
    while !marks(of: key, .removal).isEmpty {
      guard .now < deadline else {
        throw DeliveryError(.beingRemoved, "another process is removing what is asked for", file: folder.path)
      }
      usleep(5_000)
    }
    return lease
  }

  /// Returns whether any process holds a lease.
  func isLeased(_ key: String) -> Bool { !marks(of: key, .lease).isEmpty }

  /// Returns whether any process is removing the item.
  func isBeingRemoved(_ key: String) -> Bool { !marks(of: key, .removal).isEmpty }

  /// Runs `remove` unless the item is leased or `isNeeded` returns true. Returns whether it ran.
  func remove(_ key: String, unless isNeeded: () throws -> Bool = { false }, _ remove: () throws -> Void) throws -> Bool
  {
    guard !isLeased(key) else { return false }
    let mark = try mark(key, .removal)
    defer { if let mark { unlink(mark.path) } }
    if try isLeased(key) || isNeeded() { return false }
    try remove()
    return true
  }

  /// Returns the leases and marks of ended processes.
  func orphans() -> [URL] {
    entries().filter { entry in
      switch entry.owner.state {
      case .alive: false
      case .gone, .beforeRestart: true
      case .elsewhere: Staging.age(of: entry.url) > Staging.forgotten
      }
    }.map(\.url)
  }

  // MARK: files

  private struct Entry {
    let url: URL
    let key: Substring
    let owner: PartialOwner
    let kind: Kind
  }

  /// Returns nil for a lease in a read-only store, where nothing can be removed either.
  private func mark(_ key: String, _ kind: Kind) throws -> URL? {
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    let url = folder.appending(path: "\(key)~\(PartialOwner.current.token)~\(random).\(kind.rawValue)")
    var descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    if descriptor < 0 && errno == ENOENT {
      try DeliveryDirectories.makeFolder(folder)
      descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    }
    guard descriptor >= 0 else {
      if kind == .lease && (errno == EROFS || errno == EACCES) { return nil }
      throw DeliveryError(.unwritable, "the \(kind.rawValue) cannot be noted", at: url, errno: errno)
    }
    close(descriptor)
    return url
  }

  private func marks(of key: String, _ kind: Kind) -> [URL] {
    entries().filter { $0.kind == kind && $0.key == key && counts($0) }.map(\.url)
  }

  private func counts(_ entry: Entry) -> Bool {
    switch entry.owner.state {
    case .alive: true
    case .gone, .beforeRestart: false
    // Removals are short, so an older mark of another machine was abandoned.
    case .elsewhere: Staging.age(of: entry.url) < (entry.kind == .removal ? 60 : Staging.forgotten)
    }
  }

  private func entries() -> [Entry] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.compactMap { name in
      guard let dot = name.lastIndex(of: "."), let kind = Kind(rawValue: String(name[name.index(after: dot)...])) else {
        return nil
      }
      let parts = name[..<dot].split(separator: "~", omittingEmptySubsequences: false)
      guard parts.count == 3, let owner = PartialOwner(token: parts[1]) else { return nil }
      return Entry(url: folder.appending(path: name), key: parts[0], owner: owner, kind: kind)
    }
  }
}

/// Protects an item from removal by any process while the lease is alive.
public final class ModelLease: Sendable {
  private let url: URL?
  /// A folder created only for the holder; it is removed with the lease.
  private let folder: StagingFolder?

  /// The leased item, and its identity to detect a replacement after damage.
  private let item: (url: URL, identity: DamagedItems.Identity?)?
  private let base: ModelLease?

  init(_ url: URL?, holding folder: StagingFolder? = nil) {
    (self.url, self.folder) = (url, folder)
    (item, base) = (nil, nil)
  }

  init(_ base: ModelLease, on item: URL) {
    (url, folder) = (nil, nil)
    (self.item, self.base) = ((item, DamagedItems.Identity(item)), base)
  }

  /// Whether the leased item still exists and was not replaced.
  var isCurrent: Bool { item.map { DamagedItems.Identity($0.url) == $0.identity } ?? true }

  deinit { if let url { unlink(url.path) } }
}
