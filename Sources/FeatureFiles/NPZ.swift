import CArchive
import Foundation

/// `.npz` files: zip archives of `.npy` arrays, stored or deflated, read and written through libarchive.
public enum NPZ {
  /// Arrays by name. An entry's bytes are read as they come: no size of a header is believed.
  public static func read(_ path: String) throws -> [String: NPYArray] {
    guard let archive = archive_read_new() else { throw FeatureFileError(.unreadable, "\(path): out of memory") }
    defer { archive_read_free(archive) }
    archive_read_support_format_zip(archive)
    guard archive_read_open_filename(archive, path, 1 << 16) == ARCHIVE_OK else {
      throw FeatureFileError(
        FileManager.default.fileExists(atPath: path) ? .invalid : .unreadable, "\(path): \(message(archive))")
    }
    var arrays: [String: NPYArray] = [:]
    var entry: OpaquePointer?
    while true {
      let status = archive_read_next_header(archive, &entry)
      if status == ARCHIVE_EOF { return arrays }
      guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry, let raw = archive_entry_pathname(entry) else {
        throw FeatureFileError(.invalid, "\(path): \(message(archive))")
      }
      let name = String(cString: raw)
      guard name.hasSuffix(".npy") else { continue }
      let bytes = try content(archive, path, name)
      arrays[String(name.dropLast(4))] = try NPYArray(npy: bytes, "\(path), array '\(name.dropLast(4))'")
    }
  }

  /// The largest array that is read.
  private static let limit = 8 << 30

  private static func content(_ archive: OpaquePointer, _ path: String, _ name: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = archive_read_data(archive, &buffer, buffer.count)
      if count == 0 { return bytes }
      guard count > 0 else { throw FeatureFileError(.invalid, "\(path), \(name): \(message(archive))") }
      bytes += buffer[0..<count]
      guard bytes.count <= limit else { throw FeatureFileError(.invalid, "\(path), \(name): larger than 8 GiB") }
    }
  }

  private static func message(_ archive: OpaquePointer) -> String {
    archive_error_string(archive).map { String(cString: $0) } ?? "cannot be read as a zip archive"
  }

  /// Writes arrays, stored, whole or not at all.
  public static func write(_ arrays: [(name: String, array: NPYArray)], to path: String) throws {
    let partial = "\(path).\(UUID().uuidString).partial"
    do {
      try writeArchive(arrays, partial)
      guard rename(partial, path) == 0 else {
        throw FeatureFileError(.unwritable, "\(path): \(String(cString: strerror(errno)))")
      }
    } catch {
      unlink(partial)
      throw error
    }
  }

  private static func writeArchive(_ arrays: [(name: String, array: NPYArray)], _ path: String) throws {
    guard let archive = archive_write_new() else { throw FeatureFileError(.unwritable, "\(path): out of memory") }
    defer { archive_write_free(archive) }
    archive_write_set_format_zip(archive)
    archive_write_zip_set_compression_store(archive)
    guard archive_write_open_filename(archive, path) == ARCHIVE_OK else {
      throw FeatureFileError(.unwritable, "\(path): \(message(archive))")
    }
    for (name, array) in arrays {
      guard let entry = archive_entry_new() else { throw FeatureFileError(.unwritable, "\(path): out of memory") }
      defer { archive_entry_free(entry) }
      let bytes = array.npy
      archive_entry_set_pathname(entry, "\(name).npy")
      archive_entry_set_size(entry, Int64(bytes.count))
      archive_entry_set_filetype(entry, 0o100000)
      archive_entry_set_perm(entry, 0o644)
      guard archive_write_header(archive, entry) == ARCHIVE_OK,
        archive_write_data(archive, bytes, bytes.count) == bytes.count
      else { throw FeatureFileError(.unwritable, "\(path): \(message(archive))") }
    }
    guard archive_write_close(archive) == ARCHIVE_OK else {
      throw FeatureFileError(.unwritable, "\(path): \(message(archive))")
    }
  }
}
