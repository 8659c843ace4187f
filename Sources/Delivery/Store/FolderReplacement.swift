import CoreMLBase
import CoreMLSpec
import CPlatform
import Foundation

/// Replaces folders atomically. Other processes see either the old or the new folder, never a mixture, even after a
/// crash.
public enum FolderReplacement {
  /// Moves `new` to `destination`, both on one file system. An existing folder is exchanged atomically
  /// (RENAME_EXCHANGE) and then removed. Programs that have its files open or mapped can still use them.
  ///
  /// - Throws: ``DeliveryError`` if the folder cannot be made durable or moved; `new` is then left in place.
  public static func replace(_ destination: URL, with new: URL) throws {
    try makeDurable(new)
    let failure = cplatform_rename_new(new.path, destination.path)
    if failure == EEXIST {
      let exchanged = cplatform_exchange(new.path, destination.path)
      guard exchanged == 0 else {
        throw DeliveryError(.unwritable, "the folder cannot be replaced", at: destination, errno: exchanged)
      }
      try synchronize(destination.deletingLastPathComponent())
      try remove(new)
      return
    }
    guard failure == 0 else {
      throw DeliveryError(.unwritable, "the folder cannot be put in its place", at: destination, errno: failure)
    }
    try synchronize(destination.deletingLastPathComponent())
  }

  /// Moves `new` to `destination` unless an item exists there. Returns whether it was moved.
  static func installIfAbsent(_ destination: URL, with new: URL) throws -> Bool {
    try makeDurable(new)
    var failure = cplatform_rename_new(new.path, destination.path)
    // On file systems without RENAME_NOREPLACE, `rename` still never replaces a folder that is not empty.
    if failure == EINVAL || failure == ENOSYS || failure == ENOTSUP {
      failure = rename(new.path, destination.path) == 0 ? 0 : errno
    }
    switch failure {
    case 0:
      try synchronize(destination.deletingLastPathComponent())
      return true
    case EEXIST, ENOTEMPTY: return false
    case let failure:
      throw DeliveryError(.unwritable, "the folder cannot be put in its place", at: destination, errno: failure)
    }
  }

  static func remove(_ url: URL) throws {
    let failure = FolderRemoval.remove(url)
    guard failure == 0 else {
      throw DeliveryError(.unwritable, "the folder cannot be removed", at: url, errno: failure)
    }
  }

  /// Removes a folder that other processes may be reading. It first moves atomically to `trash`, on the same file
  /// system. If this process is killed, the remainder is recognised as an orphan.
  static func discard(_ url: URL, through trash: URL) throws {
    try DeliveryDirectories.makeFolder(trash)
    let aside = Staging.name(in: trash)
    guard rename(url.path, aside.path) == 0 else {
      if errno == ENOENT { return }
      throw DeliveryError(.unwritable, "the folder cannot be removed", at: url, errno: errno)
    }
    try remove(aside)
  }

  /// Synchronizes all files, then the folders that contain them.
  static func makeDurable(_ folder: URL) throws {
    guard let walk = FileManager.default.enumerator(atPath: folder.path) else {
      throw DeliveryError(.unreadable, "the folder cannot be listed", file: folder.path)
    }
    var folders = [folder]
    for case let path as String in walk {
      let url = folder.appending(path: path)
      switch walk.fileAttributes?[.type] as? FileAttributeType {
      case .typeDirectory?: folders.append(url)
      case .typeRegular?: try synchronize(url)
      default: continue
      }
    }
    for folder in folders.reversed() { try synchronize(folder) }
  }

  /// Makes a file, or the directory entries of a folder, durable.
  static func synchronize(_ url: URL) throws {
    guard OpenFile.synchronize(url.path) else {
      throw DeliveryError(.unwritable, "the item cannot be written to disk", at: url, errno: errno)
    }
  }
}
