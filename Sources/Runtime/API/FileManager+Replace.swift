import CPlatform
import Foundation

extension FileManager {
  /// Puts a file or folder in the place of another, as sample code for Apple's systems keeps compiled and updated models.
  ///
  /// Foundation's own of this name refuses on Linux when nothing stands there yet; this one, which is preferred where this module is
  /// imported, does what Apple's does: the item is put there in one step. What stood there is exchanged for it and then removed, so that
  /// whoever looks, also after a crash, finds the old item or the new one.
  ///
  /// - Returns: `originalItemURL`.
  /// - Throws: `CocoaError` where the new item is not there or cannot be put in its place.
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

  /// Copies beside the place first: between two file systems nothing can be renamed.
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
