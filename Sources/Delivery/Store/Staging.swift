import Foundation

/// Temporary names in a folder shared by several processes. A name contains the identity of its process, so leftovers
/// of killed processes are recognised without locks.
enum Staging {
  static let prefix = ".staged-"
  private static let suffix = ".partial"
  /// The age in seconds at which an item of another machine, or of an unknown process, counts as abandoned.
  static let forgotten: Double = 7 * 86_400
  /// The age in seconds at which a temporary name of an older format, without a process identity, counts as abandoned.
  static let forgottenUnnamed: Double = 86_400

  /// Returns a unique temporary name.
  static func name(in folder: URL) -> URL {
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    return folder.appending(path: "\(prefix)\(PartialOwner.current.token).\(random)\(suffix)")
  }

  /// Returns the items with temporary names of ended processes in a folder.
  static func orphans(in folder: URL) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().map { folder.appending(path: $0) }.filter(isOrphan)
  }

  /// Returns the orphans in a folder and its subfolders.
  static func orphans(below folder: URL) -> [URL] { folders(below: folder).flatMap { orphans(in: $0) } }

  /// Returns files not modified for a long time: objects of updates that were never finished.
  static func forgottenFiles(below folder: URL) -> [URL] {
    folders(below: folder).flatMap { folder in
      ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).map { folder.appending(path: $0) }
    }.filter { DiskUse.size($0) != nil && age(of: $0) > forgotten }
  }

  /// Returns a folder and all folders below it; links are not followed.
  private static func folders(below folder: URL, depth: Int = 8) -> [URL] {
    var status = stat()
    guard depth > 0, lstat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return [folder]
      + names.sorted().flatMap {
        folders(below: folder.appending(path: $0, directoryHint: .isDirectory), depth: depth - 1)
      }
  }

  private static func isOrphan(_ url: URL) -> Bool {
    let name = url.lastPathComponent
    if let owner = owner(of: name) {
      switch owner.state {
      case .alive: return false
      case .gone, .beforeRestart: return true
      case .elsewhere: return age(of: url) > forgotten
      }
    }
    return name.contains(suffix) && age(of: url) > forgottenUnnamed
  }

  /// Returns the process whose token is in the name, between the marker and the next full stop.
  static func owner(of name: String) -> PartialOwner? {
    for marker in [prefix, ".fetch-"] {
      guard let start = name.range(of: marker)?.upperBound else { continue }
      return PartialOwner(token: name[start...].prefix { $0 != "." })
    }
    return nil
  }

  /// Returns the seconds since the item's last modification.
  static func age(of url: URL) -> Double {
    var status = stat()
    return lstat(url.path, &status) == 0 ? Date().timeIntervalSince1970 - Double(status.st_mtim.tv_sec) : 0
  }
}

/// A private folder on the store's file system, whose content can be moved into place by renaming. It is removed when
/// the object is released.
public final class StagingFolder: Sendable {
  /// The path of the folder.
  public let url: URL

  /// Creates a folder, accessible only to its owner, in a parent that is created on demand.
  ///
  /// - Throws: ``DeliveryError`` `unwritable`, `noSpace`.
  public init(in parent: URL) throws {
    try DeliveryDirectories.makeFolder(parent)
    url = URL(filePath: Staging.name(in: parent).path, directoryHint: .isDirectory)
    guard mkdir(url.path, 0o700) == 0 else {
      throw DeliveryError(.unwritable, "the folder cannot be created", at: url, errno: errno)
    }
  }

  deinit { _ = FolderRemoval.remove(url) }

  /// Removes the folders left by ended processes of this user on this machine, and nothing else.
  public static func removeOrphans(in parent: URL) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? [] {
      guard name.hasPrefix(Staging.prefix), let owner = Staging.owner(of: name) else { continue }
      guard [.gone, .beforeRestart].contains(owner.state) else { continue }
      _ = FolderRemoval.remove(parent.appending(path: name), ownedBy: geteuid())
    }
  }
}
