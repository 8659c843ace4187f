import CPlatform
import Foundation

/// Excludes files and folders from backups, like `URLResourceValues.isExcludedFromBackup` on Apple platforms.
///
/// No mark on Linux is known to every backup program. So all of these are set, as far as the file system supports them:
///
/// - the `nodump` flag of the file (`chattr +d`), supported by dump and borg;
/// - the extended attribute `user.xdg.robots.backup=false`, supported by borg;
/// - in folders, `CACHEDIR.TAG`, supported by GNU tar, borg, restic and others.
///
/// Exclude only data that can be recreated or downloaded again, never a model that a user has trained.
public enum BackupExclusion {
  /// A mark that excludes a file from backups.
  public enum Mark: String, Sendable, CaseIterable {
    /// The file system's `nodump` flag.
    case noDump = "nodump"
    /// The extended attribute `user.xdg.robots.backup`.
    case attribute = "user.xdg.robots.backup"
    /// `CACHEDIR.TAG` in a folder.
    case cacheTag = "CACHEDIR.TAG"
  }

  /// The result for each mark.
  public struct Outcome: Sendable {
    /// The marks that are now in the requested state.
    public internal(set) var done: Set<Mark> = []
    /// The marks that could not be set or removed, with the reasons.
    public internal(set) var failed: [Mark: String] = [:]
  }

  private static let attributeName = "user.xdg.robots.backup"

  /// Excludes an item from backups, or includes it again.
  ///
  /// - Returns: the marks in the requested state, and the reasons for the others. File systems differ in the marks that
  ///   they support.
  /// - Throws: ``DeliveryError`` if the item does not exist, if no mark could be set, or if a mark could not be
  ///   removed.
  @discardableResult
  public static func setExcluded(_ excluded: Bool, at url: URL) throws -> Outcome {
    let marks = try possibleMarks(at: url)
    var outcome = Outcome()
    for mark in marks {
      do {
        try set(mark, excluded, at: url)
        outcome.done.insert(mark)
      } catch let error as DeliveryError {
        outcome.failed[mark] = error.message
      }
    }
    let complete = excluded ? !outcome.done.isEmpty : outcome.failed.isEmpty
    guard complete else {
      let reasons = outcome.failed.map { "\($0.key.rawValue): \($0.value)" }.sorted().joined(separator: "; ")
      let wanted = excluded ? "no mark that excludes from backups could be set" : "a mark could not be taken away"
      throw DeliveryError(.unwritable, "\(wanted) (\(reasons))", file: url.path)
    }
    return outcome
  }

  /// Returns whether an item has any of the marks.
  ///
  /// - Throws: ``DeliveryError`` if the item does not exist.
  public static func isExcluded(_ url: URL) throws -> Bool { try !marks(at: url).isEmpty }

  /// Returns the marks of an item.
  public static func marks(at url: URL) throws -> Set<Mark> {
    Set(try possibleMarks(at: url).filter { bears($0, at: url) })
  }

  private static func possibleMarks(at url: URL) throws -> [Mark] {
    var status = stat()
    guard stat(url.path, &status) == 0 else {
      throw DeliveryError(.unreadable, "the item cannot be examined", at: url, errno: errno)
    }
    return status.st_mode & S_IFMT == S_IFDIR ? Mark.allCases : [.noDump, .attribute]
  }

  private static func bears(_ mark: Mark, at url: URL) -> Bool {
    switch mark {
    case .noDump:
      var flag = false
      return cplatform_get_nodump(url.path, &flag) == 0 && flag
    case .attribute:
      var value = [UInt8](repeating: 0, count: 8)
      let length = getxattr(url.path, attributeName, &value, value.count)
      return length > 0 && value.prefix(length).elementsEqual("false".utf8)
    case .cacheTag: return CacheTag.exists(in: url)
    }
  }

  private static func set(_ mark: Mark, _ excluded: Bool, at url: URL) throws {
    if !excluded && !bears(mark, at: url) { return }
    switch mark {
    case .noDump:
      let failure = cplatform_set_nodump(url.path, excluded)
      guard failure == 0 else {
        throw DeliveryError(.unwritable, "the file system keeps no such flag", at: url, errno: failure)
      }
    case .attribute:
      let failed =
        excluded ? setxattr(url.path, attributeName, "false", 5, 0) : removexattr(url.path, attributeName)
      guard failed == 0 else {
        throw DeliveryError(.unwritable, "the attribute cannot be changed", at: url, errno: errno)
      }
    case .cacheTag: try excluded ? CacheTag.write(in: url) : CacheTag.remove(in: url)
    }
  }
}
