import CPlatform
import Foundation

extension FileManager {
  /// Replaces a file or folder, as sample code for Apple's systems does to store compiled and updated models.
  ///
  /// Foundation's method of this name fails on Linux if nothing exists at the destination yet. This overload, which
  /// Swift prefers where this module is imported, behaves like Apple's. It puts the item there in one atomic step: the
  /// old item is exchanged for the new one and then removed. A reader finds the old item or the new one, also after a
  /// crash.
  ///
  /// - Returns: `originalItemURL`.
  /// - Throws: `CocoaError` if the new item is missing or cannot be moved to the destination.
  public func replaceItemAt(_ originalItemURL: URL, withItemAt newItemURL: URL) throws -> URL? {
    var failure = cplatform_rename_new(newItemURL.path, originalItemURL.path)
    if failure == EXDEV { return try replaceItemAt(originalItemURL, withItemOfOtherVolumeAt: newItemURL) }
    if failure == EEXIST {
      failure = cplatform_exchange(newItemURL.path, originalItemURL.path)
      if failure == EXDEV { return try replaceItemAt(originalItemURL, withItemOfOtherVolumeAt: newItemURL) }
      if failure == 0 { try? removeItem(at: newItemURL) }
    }
    guard failure == 0 else {
      let code: CocoaError.Code = failure == ENOENT ? .fileNoSuchFile : .fileWriteUnknown
      throw CocoaError(
        code,
        userInfo: [
          NSFilePathErrorKey: failure == ENOENT ? newItemURL.path : originalItemURL.path,
          NSUnderlyingErrorKey: POSIXErrorCode(rawValue: failure).map { POSIXError($0) } as Any,
        ])
    }
    return originalItemURL
  }

  /// Copies the item beside the destination first, because a rename cannot cross file systems.
  private func replaceItemAt(_ originalItemURL: URL, withItemOfOtherVolumeAt newItemURL: URL) throws -> URL? {
    let copy = originalItemURL.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).partial")
    do {
      try copyItem(at: newItemURL, to: copy)
      _ = try replaceItemAt(originalItemURL, withItemAt: copy)
    } catch {
      try? removeItem(at: copy)
      throw error
    }
    try? removeItem(at: newItemURL)
    return originalItemURL
  }
}
