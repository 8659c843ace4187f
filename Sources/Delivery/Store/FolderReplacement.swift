import CoreMLBase
import CPlatform
import CoreMLSpec
import Foundation

/// Puts a whole folder in its place in one step: whoever looks sees the old one or the new one, never a mixture, also after a crash.
public enum FolderReplacement {
  /// Puts `new` at `destination`, both on one file system. What stood there is exchanged for it (RENAME_EXCHANGE) and then removed;
  /// programs that have its files open or mapped keep them.
  ///
  /// - Throws: ``DeliveryError`` when the folder cannot be made durable or put in place; `new` is left where it was then.
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

  /// Puts `new` at `destination` unless something stands there already; says whether it did.
  static func installIfAbsent(_ destination: URL, with new: URL) throws -> Bool {
    try makeDurable(new)
    var failure = cplatform_rename_new(new.path, destination.path)
    // Without that call, renaming still replaces no folder that holds something.
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

  /// Removes a folder that others may be reading: in one step it is gone from its place, and what is left of it afterwards, if this process
  /// is killed, is known for an orphan. `trash` is on the same file system.
  static func discard(_ url: URL, through trash: URL) throws {
    try DeliveryDirectories.makeFolder(trash)
    let aside = Staging.name(in: trash)
    guard rename(url.path, aside.path) == 0 else {
      if errno == ENOENT { return }
      throw DeliveryError(.unwritable, "the folder cannot be removed", at: url, errno: errno)
    }
    try remove(aside)
  }

  /// Files first, then the folders that name them.
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

  /// Makes a file, or the names in a folder, durable.
  static func synchronize(_ url: URL) throws {
    guard OpenFile.synchronize(url.path) else {
      throw DeliveryError(.unwritable, "the item cannot be written to disk", at: url, errno: errno)
    }
  }
}
