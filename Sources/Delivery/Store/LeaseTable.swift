import Foundation

/// Keeps what is in use from being removed, by any number of processes and without locks.
///
/// A lease is a file that names the process that has it; so is the mark of a removal. Who leases writes the lease, then looks for marks;
/// who removes writes the mark, then looks for leases, and gives way. One of two that meet sees the other, whatever order the calls
/// come in. What a killed process left behind does not count.
struct LeaseTable: Sendable {
  let folder: URL

  private enum Kind: String { case lease, removal }
  private static let patience = 5.0

  /// A lease on `key`, which must be a file name's words. What it is a lease on may be gone: look after this returns.
  ///
  /// - Throws: ``DeliveryError`` `beingRemoved` when a removal does not come to its end, `unwritable`.
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

  /// Whether anybody has a lease.
  func isLeased(_ key: String) -> Bool { !marks(of: key, .lease).isEmpty }

  /// Whether anybody is removing it.
  func isBeingRemoved(_ key: String) -> Bool { !marks(of: key, .removal).isEmpty }

  /// Runs `remove` unless somebody has a lease or `isNeeded` says otherwise; says whether it ran.
  func remove(_ key: String, unless isNeeded: () throws -> Bool = { false }, _ remove: () throws -> Void) throws -> Bool
  {
    guard !isLeased(key) else { return false }
    let mark = try mark(key, .removal)
    defer { if let mark { unlink(mark.path) } }
    if try isLeased(key) || isNeeded() { return false }
    try remove()
    return true
  }

  /// Leases and marks of processes that are no more.
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

  /// Nil where nothing can be written and so nothing removed: a store that belongs to the system.
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
    // A removal takes no time; one of another machine that stands longer was given up.
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

/// While it lives, what it is a lease on is not removed, by this process or any other.
public final class ModelLease: Sendable {
  private let url: URL?
  /// What was made for the holder alone; it goes with the lease.
  private let folder: StagingFolder?

  /// What it is a lease on, and what tells it from what may take its place when it is damaged.
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

  /// Whether what it is a lease on is there still, and not another in its place.
  var isCurrent: Bool { item.map { DamagedItems.Identity($0.url) == $0.identity } ?? true }

  deinit { if let url { unlink(url.path) } }
}
