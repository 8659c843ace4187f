import CArchive
import Foundation

/// An archive read from its beginning to its end, through libarchive. Only the forms that models are shipped in are known to it.
final class ArchiveReader {
  private let archive: OpaquePointer
  private let path: String

  struct Entry {
    enum Kind { case file, folder, link, device }
    let name: String
    let kind: Kind
    /// Nil where the archive tells it after the bytes only.
    let size: Int64?
  }

  init(_ file: URL) throws {
    path = file.path
    guard let archive = archive_read_new() else {
      throw DeliveryError(.unreadable, "there is no memory to read the archive", file: path)
    }
    self.archive = archive
    archive_read_support_filter_bzip2(archive)
    archive_read_support_filter_gzip(archive)
    archive_read_support_filter_xz(archive)
    archive_read_support_filter_zstd(archive)
    archive_read_support_format_tar(archive)
    // With the list of entries at the end, so that an archive that is cut short is seen to be.
    archive_read_support_format_zip_seekable(archive)
    guard archive_read_open_filename(archive, path, 1 << 17) == ARCHIVE_OK else {
      throw failure(.archiveUnsupported, "the file is no archive that is read (tar.bz2, tar.gz, tar.xz, tar.zst, zip)")
    }
  }

  deinit { archive_read_free(archive) }

  /// The next entry; nil at the end.
  func next() throws -> Entry? {
    var pointer: OpaquePointer?
    let status = archive_read_next_header(archive, &pointer)
    if status == ARCHIVE_EOF { return nil }
    guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry = pointer else {
      // Where not even a first entry could be told, it is the wrong kind of file.
      let isFirst = archive_file_count(archive) == 0 && archive_format(archive) == 0
      throw failure(isFirst ? .archiveUnsupported : .archiveDamaged, "the archive cannot be read")
    }
    guard let name = name(of: entry) else {
      throw DeliveryError(.archiveBadPath, "the archive has an entry whose path is no UTF-8 text", file: path)
    }
    func refused(_ what: String) -> DeliveryError {
      DeliveryError(.archiveUnsupported, "the entry \(name.debugDescription) is \(what), which is not read", file: path)
    }
    if archive_entry_is_encrypted(entry) != 0 { throw refused("encrypted") }
    if archive_entry_sparse_count(entry) > 0 { throw refused("sparse") }
    let size = archive_entry_size_is_set(entry) != 0 ? archive_entry_size(entry) : nil
    if let size, size < 0 { throw DeliveryError(.archiveDamaged, "an entry has a negative size", file: path) }
    return Entry(name: name, kind: kind(of: entry), size: size)
  }

  private func name(of entry: OpaquePointer) -> String? {
    if let raw = archive_entry_pathname(entry) { return String(validatingCString: raw) }
    return archive_entry_pathname_utf8(entry).flatMap { String(validatingCString: $0) }
  }

  private func kind(of entry: OpaquePointer) -> Entry.Kind {
    if archive_entry_hardlink(entry) != nil || archive_entry_hardlink_utf8(entry) != nil { return .link }
    // The numbers that POSIX's S_IFMT tells apart.
    switch archive_entry_filetype(entry) {
    case 0o100000: return .file
    case 0o040000: return .folder
    case 0o120000: return .link
    default: return .device
    }
  }

  /// The next bytes of the entry; 0 at its end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = archive_read_data(archive, buffer.baseAddress, buffer.count)
    guard count >= 0 else { throw failure(.archiveDamaged, "the archive cannot be read") }
    return count
  }

  private func failure(_ code: DeliveryError.Code, _ sentence: String) -> DeliveryError {
    let detail = archive_error_string(archive).map { String(cString: $0) } ?? ""
    let isCutShort = ["truncated", "unexpected end", "premature end", "no progress is possible"].contains {
      detail.lowercased().contains($0)
    }
    let unsupported = ["unsupported", "encrypted"].contains { detail.lowercased().contains($0) }
    return DeliveryError(
      isCutShort ? .archiveTruncated : unsupported ? .archiveUnsupported : code,
      detail.isEmpty ? sentence : "\(sentence): \(detail)", file: path)
  }
}
