import CArchive
import CoreMLBase
import CoreMLSpec
import CPlatform
import Foundation
import MIL

/// `.npz` files: zip archives of `.npy` arrays, stored or deflated, read and written with libarchive.
public enum NPZ {
  /// Arrays by name.
  public static func read(_ path: String) throws -> [String: NPYArray] { try read(path) { try $1.array() } }

  /// The result of `each` for every array, by name. `each` gets the header before the elements are read, and either
  /// reads them or throws. An entry that is shorter than its header states is refused. An archive that inflates to more
  /// than 64 MiB and also to more than a hundred times its file size is refused too. Arrays of strings are refused
  /// unless `texts`.
  public static func read<Value>(
    _ path: String, texts: Bool = false, each: (_ name: String, _ elements: NPYElements) throws -> Value
  ) throws -> [String: Value] {
    let whole = try FileBytes.size(path)
    guard let archive = archive_read_new() else { throw FeatureFileError(.unreadable, "\(path): out of memory") }
    defer { archive_read_free(archive) }
    archive_read_support_format_zip(archive)
    guard archive_read_open_filename(archive, path, 1 << 16) == ARCHIVE_OK else { throw failedRead(archive, path) }
    let (inflated, overflow) = whole.multipliedReportingOverflow(by: ratio)
    var budget = overflow ? Int.max : max(smallest, inflated)
    var values: [String: Value] = [:]
    var entry: OpaquePointer?
    while true {
      // libarchive converts names marked as UTF-8 to the current locale's encoding.
      let locale = cplatform_use_utf8()
      let status = archive_read_next_header(archive, &entry)
      cplatform_use_locale(locale)
      if status == ARCHIVE_EOF { return values }
      guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry else { throw failedRead(archive, path) }
      guard let name = archive_entry_pathname(entry).flatMap({ String(validatingCString: $0) }),
        name.hasSuffix(".npy")
      else { continue }
      let feature = String(name.dropLast(4))
      let what = "\(path), array '\(feature)'"
      guard values[feature] == nil else { throw FeatureFileError(.invalid, "\(what): it is there twice") }
      let size = archive_entry_size_is_set(entry) != 0 ? Int(archive_entry_size(entry)) : nil
      let elements = try NPYElements(what, size: size, texts: texts) { try fill(archive, $0, $1, what) }
      let header = elements.header
      guard header.byteCount <= budget else {
        throw FeatureFileError(
          .invalid,
          "\(what): its shape \(header.shape) makes the arrays more than \(ratio) times the file of \(whole) bytes; "
            + "arrays that compress so far are read when they are stored instead")
      }
      budget -= header.byteCount
      values[feature] = try each(feature, elements)
      // libarchive verifies the checksum at the end of an entry.
      guard try bytes(archive, 1, what).isEmpty else {
        throw FeatureFileError(.invalid, "\(what): bytes follow the elements of its shape \(header.shape)")
      }
    }
  }

  /// The size in bytes to which any archive may inflate. Larger archives may inflate to `ratio` times their file size.
  private static let smallest = 64 << 20
  private static let ratio = 100
  /// The number of bytes to inflate between checks for cancellation.
  private static let piece = 1 << 22

  /// The next bytes of an entry, or fewer at its end.
  private static func bytes(_ archive: OpaquePointer, _ count: Int, _ what: String) throws -> [UInt8] {
    try Array(unsafeUninitializedCapacity: count) { buffer, filled in
      if let base = buffer.baseAddress { filled = try fill(archive, base, count, what) }
    }
  }

  /// Reads the next bytes of an entry to an address. Returns the number of bytes read.
  private static func fill(
    _ archive: OpaquePointer, _ target: UnsafeMutableRawPointer, _ count: Int, _ what: String
  ) throws -> Int {
    var filled = 0
    while filled < count {
      try Cancellation.check()
      let got = archive_read_data(archive, target + filled, min(count - filled, piece))
      if got == 0 { break }
      guard got > 0 else { throw failedRead(archive, what) }
      filled += got
    }
    return filled
  }

  private static func failedRead(_ archive: OpaquePointer, _ what: String) -> FeatureFileError {
    let failure = ArchiveFailure(archive)
    guard failure.number == nil else {
      return FeatureFileError(.unreadable, "\(what): the file cannot be read: \(failure.reason ?? "")")
    }
    return FeatureFileError(.invalid, "\(what): \(failure.reason ?? "cannot be read as a zip archive")")
  }

  private static func failedWrite(_ archive: OpaquePointer, _ path: String) -> FeatureFileError {
    let reason = ArchiveFailure(archive).reason ?? "libarchive gives no reason"
    return FeatureFileError(.unwritable, "\(path): the file cannot be written: \(reason)")
  }

  /// Writes arrays uncompressed, atomically. Arrays of strings follow the numeric ones.
  public static func write(
    _ arrays: [(name: String, array: NPYArray)], texts: [(name: String, texts: [String])] = [], to path: String
  ) throws {
    let file = try writer(arrays, texts: texts, to: path)
    do { try file.commit() } catch let error as SpecError { throw FeatureFileError(.unwritable, "\(error)") }
  }

  /// A file with the arrays that has not been committed.
  package static func writer(
    _ arrays: [(name: String, array: NPYArray)], texts: [(name: String, texts: [String])] = [], to path: String
  ) throws -> FileWriter {
    // Each array is encoded when it is written.
    let entries =
      arrays.map { entry in (entry.name, { entry.array.npy }) }
      + texts.map { entry in (entry.name, { NPYText.npy(entry.texts) }) }
    do {
      let file = try FileWriter(path: path)
      try file.withDescriptor { try writeArchive(entries, $0, path) }
      return file
    } catch let error as SpecError {
      throw FeatureFileError(.unwritable, "\(error)")
    }
  }

  private static func writeArchive(
    _ entries: [(name: String, npy: () -> [UInt8])], _ file: Int32, _ path: String
  ) throws {
    guard let archive = archive_write_new() else { throw FeatureFileError(.unwritable, "\(path): out of memory") }
    defer { archive_write_free(archive) }
    archive_write_set_format_zip(archive)
    archive_write_zip_set_compression_store(archive)
    guard archive_write_open_fd(archive, file) == ARCHIVE_OK else { throw failedWrite(archive, path) }
    for (name, npy) in entries {
      guard let entry = archive_entry_new() else { throw FeatureFileError(.unwritable, "\(path): out of memory") }
      defer { archive_entry_free(entry) }
      let bytes = npy()
      archive_entry_set_pathname(entry, "\(name).npy")
      archive_entry_set_size(entry, Int64(bytes.count))
      archive_entry_set_filetype(entry, 0o100000)
      archive_entry_set_perm(entry, 0o644)
      guard archive_write_header(archive, entry) == ARCHIVE_OK,
        archive_write_data(archive, bytes, bytes.count) == bytes.count
      else { throw failedWrite(archive, path) }
    }
    guard archive_write_close(archive) == ARCHIVE_OK else { throw failedWrite(archive, path) }
  }
}
