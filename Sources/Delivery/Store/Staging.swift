import Foundation

/// Private names in a folder that several processes share. A name tells which process works under it, so that what a killed one left
/// is known for what it is, without locks.
enum Staging {
  static let prefix = ".staged-"
  private static let suffix = ".partial"
  /// What a process on another machine, or one that cannot be told, has left alone for so long is taken for forgotten.
  static let forgotten: Double = 7 * 86_400
  /// The same for private names of older forms, which do not tell whose they are.
  static let forgottenUnnamed: Double = 86_400

  /// A name that nobody else uses.
  static func name(in folder: URL) -> URL {
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    return folder.appending(path: "\(prefix)\(PartialOwner.current.token).\(random)\(suffix)")
  }

  /// What stands in the folder under private names that nobody works under any more.
  static func orphans(in folder: URL) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().map { folder.appending(path: $0) }.filter(isOrphan)
  }

  /// The same in a folder and those below it.
  static func orphans(below folder: URL) -> [URL] { folders(below: folder).flatMap { orphans(in: $0) } }

  /// Files that nobody has touched for long: objects of an update that was never finished.
  static func forgottenFiles(below folder: URL) -> [URL] {
    folders(below: folder).flatMap { folder in
      ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).map { folder.appending(path: $0) }
    }.filter { DiskUse.size($0) != nil && age(of: $0) > forgotten }
  }

  /// A folder and all below it; links are not followed.
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

  /// The process whose token stands in the name: after its first hyphen that begins one, up to a full stop.
  static func owner(of name: String) -> PartialOwner? {
    for marker in [prefix, ".fetch-"] {
      guard let start = name.range(of: marker)?.upperBound else { continue }
      return PartialOwner(token: name[start...].prefix { $0 != "." })
    }
    return nil
  }

  /// Seconds since the item was last changed.
  static func age(of url: URL) -> Double {
    var status = stat()
    return lstat(url.path, &status) == 0 ? Date().timeIntervalSince1970 - Double(status.st_mtim.tv_sec) : 0
  }
}

/// A folder of one's own on the store's file system: what is made in it can be put in its place by renaming. It goes with the value.
public final class StagingFolder: Sendable {
  /// Where the folder is.
  public let url: URL

  /// Makes a folder in another one, which is created when needed; only its owner may look into it.
  ///
  /// - Throws: ``DeliveryError`` `unwritable`, `noSpace` when it cannot be created.
  public init(in parent: URL) throws {
    try DeliveryDirectories.makeFolder(parent)
    url = URL(filePath: Staging.name(in: parent).path, directoryHint: .isDirectory)
    guard mkdir(url.path, 0o700) == 0 else {
      throw DeliveryError(.unwritable, "the folder cannot be created", at: url, errno: errno)
    }
  }

  deinit { _ = FolderRemoval.remove(url) }

  /// Removes such folders of this user's processes of this machine that are no more; nothing else, whatever it is called.
  public static func removeOrphans(in parent: URL) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? [] {
      guard name.hasPrefix(Staging.prefix), let owner = Staging.owner(of: name) else { continue }
      guard [.gone, .beforeRestart].contains(owner.state) else { continue }
      _ = FolderRemoval.remove(parent.appending(path: name), ownedBy: geteuid())
    }
  }
}
