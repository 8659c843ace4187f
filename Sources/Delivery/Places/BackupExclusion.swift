import CPlatform
import Foundation

/// Excludes files and folders from backups, as `URLResourceValues.isExcludedFromBackup` does on Apple's systems.
///
/// Linux has no one mark that every program for backups knows, so all of these are set, as far as the file system allows:
///
/// - the `nodump` flag of the file (`chattr +d`), known to dump and borg;
/// - the extended attribute `user.xdg.robots.backup=false`, known to borg;
/// - in folders, `CACHEDIR.TAG`, known to GNU tar, borg, restic and others.
///
/// Exclude only what can be had again: never a model that a user has trained.
public enum BackupExclusion {
  /// One way of marking a file.
  public enum Mark: String, Sendable, CaseIterable {
    /// The file system's `nodump` flag.
    case noDump = "nodump"
    /// The extended attribute `user.xdg.robots.backup`.
    case attribute = "user.xdg.robots.backup"
    /// `CACHEDIR.TAG` in a folder.
    case cacheTag = "CACHEDIR.TAG"
  }

  /// What became of each mark.
  public struct Outcome: Sendable {
    /// The marks that now stand as asked.
    public internal(set) var done: Set<Mark> = []
    /// The marks that could not be set or taken away, with the reason.
    public internal(set) var failed: [Mark: String] = [:]
  }

  private static let attributeName = "user.xdg.robots.backup"

  /// Excludes the item from backups, or includes it again.
  ///
  /// - Returns: which marks stand as asked, and why others do not: file systems differ in what they keep.
  /// - Throws: ``DeliveryError`` when there is no such item, or when no mark at all could be set or one could not be taken away.
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

  /// Whether the item bears any of the marks.
  ///
  /// - Throws: ``DeliveryError`` when there is no such item.
  public static func isExcluded(_ url: URL) throws -> Bool { try !marks(at: url).isEmpty }

  /// The marks that the item bears.
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
