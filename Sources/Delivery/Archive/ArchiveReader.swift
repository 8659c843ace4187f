import CArchive
import CPlatform
import FeatureFiles
import Foundation

/// Reads an archive sequentially through libarchive. Only the formats used for models are enabled.
///
/// A separate stream decompresses the archive, because tar readers stop at the last entry, while checksums of the
/// compressed data may follow it.
final class ArchiveReader {
  private let archive: OpaquePointer
  private let path: String
  private let source: Source?

  /// The input of libarchive.
  private final class Source {
    let stream: any ArchiveStream
    var failure: (any Error)?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)

    init(_ stream: any ArchiveStream) { self.stream = stream }

    deinit { buffer.deallocate() }

    /// Returns the number of the next bytes, which `bytes` points to; -1 for a failure, which is stored in `failure`.
    func next(_ bytes: UnsafeMutablePointer<UnsafeRawPointer?>?) -> Int {
      do {
        bytes?.pointee = UnsafeRawPointer(buffer.baseAddress)
        return try stream.read(into: buffer)
      } catch {
        failure = error
        return -1
      }
    }
  }

  struct Entry {
    enum Kind { case file, folder, link, device }
    let name: String
    let kind: Kind
    /// The size in bytes; nil if the archive stores it after the data.
    let size: Int64?
  }

  init(_ file: URL) throws {
    path = file.path
    guard let archive = archive_read_new() else {
      throw DeliveryError(.unreadable, "there is no memory to read the archive", file: path)
    }
    self.archive = archive
    do { source = try archiveStream(of: file).map(Source.init) } catch {
      archive_read_free(archive)
      throw error
    }
    archive_read_support_format_tar(archive)
    let status: Int32
    if let source {
      let context = Unmanaged.passUnretained(source).toOpaque()
      status = archive_read_open(
        archive, context, nil,
        { _, context, bytes in
          context.map { Unmanaged<Source>.fromOpaque($0).takeUnretainedValue().next(bytes) } ?? -1
        }, nil)
    } else {
      // The central directory at the end is required, so that a truncated archive is detected.
      archive_read_support_format_zip_seekable(archive)
      status = archive_read_open_filename(archive, path, 1 << 17)
    }
    guard status == ARCHIVE_OK else {
      throw failure(.archiveUnsupported, "the file is no archive that is read (tar.bz2, tar.gz, tar.xz, tar.zst, zip)")
    }
  }

  deinit { archive_read_free(archive) }

  /// Returns the next entry; nil at the end.
  func next() throws -> Entry? {
    var pointer: OpaquePointer?
    // libarchive converts UTF-8 names to the locale's encoding, so the locale is set to UTF-8 during the call.
    let locale = cplatform_use_utf8()
    let status = archive_read_next_header(archive, &pointer)
    cplatform_use_locale(locale)
    if status == ARCHIVE_EOF { return nil }
    guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry = pointer else {
      // If no format was detected before the first entry, the file is not a supported archive.
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
    // The file types of POSIX's S_IFMT.
    switch archive_entry_filetype(entry) {
    case 0o100000: return .file
    case 0o040000: return .folder
    case 0o120000: return .link
    default: return .device
    }
  }

  /// Reads the next bytes of the entry; returns 0 at its end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = archive_read_data(archive, buffer.baseAddress, buffer.count)
    guard count >= 0 else { throw failure(.archiveDamaged, "the archive cannot be read") }
    return count
  }

  /// Reads the data after the last entry, usually padding; returns 0 at its end. Only then is all compressed data
  /// verified.
  func readPastEnd(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try source?.stream.read(into: buffer) ?? 0
  }

  private func failure(_ code: DeliveryError.Code, _ sentence: String) -> any Error {
    if let failure = source?.failure { return failure }
    let cause = ArchiveFailure(archive)
    if let number = cause.number {
      return DeliveryError(.unreadable, "the archive cannot be read", at: URL(filePath: path), errno: number)
    }
    let detail = cause.reason ?? ""
    return DeliveryError(
      Self.code(of: detail, else: code), detail.isEmpty ? sentence : "\(sentence): \(detail)", file: path)
  }

  /// Maps an error message of libarchive to a code.
  static func code(of detail: String, else code: DeliveryError.Code) -> DeliveryError.Code {
    func says(_ words: String...) -> Bool { words.contains { detail.lowercased().contains($0) } }
    if says("truncated", "unexpected end", "premature end", "no progress is possible") { return .archiveTruncated }
    return says("unsupported", "encrypted") ? .archiveUnsupported : code
  }
}
