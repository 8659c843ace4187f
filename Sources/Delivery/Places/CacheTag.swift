import CoreMLBase
import CoreMLSpec
import Foundation

/// `CACHEDIR.TAG` (bford.info/cachedir). GNU tar, borg, restic and others can skip folders that contain it.
enum CacheTag {
  /// The signature at the start of a tag file.
  static let signature = "Signature: 8a477f597d28d172789f06886806bc55"

  static func path(in folder: URL) -> String { folder.appending(path: "CACHEDIR.TAG").path }

  static func exists(in folder: URL) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path(in: folder)) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: signature.utf8.count)) == Data(signature.utf8)
  }

  /// Writes the tag unless it exists. A file of that name without the signature is not modified and causes an error.
  static func write(in folder: URL) throws {
    if exists(in: folder) { return }
    let path = path(in: folder)
    // Tags appear atomically. Another process may write one between the two checks.
    guard !FileManager.default.fileExists(atPath: path) || exists(in: folder) else {
      throw DeliveryError(.unwritable, "expected a cache directory tag, found another file of that name", file: path)
    }
    let text = "\(signature)\n# This folder can be made again: programs that make backups may leave it out.\n"
    do {
      let writer = try FileWriter(path: path, privateName: Staging.name(in: folder).path)
      try writer.append(Array(text.utf8))
      try writer.commit()
    } catch let error as SpecError {
      throw DeliveryError(.unwritable, error.message, file: error.file)
    }
  }

  /// Removes the tag if it is there.
  static func remove(in folder: URL) throws {
    guard exists(in: folder) else { return }
    guard unlink(path(in: folder)) == 0 else {
      throw DeliveryError(.unwritable, "the cache directory tag cannot be removed", at: folder, errno: errno)
    }
  }
}
