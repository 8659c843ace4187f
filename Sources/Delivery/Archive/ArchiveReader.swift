import CArchive
import CPlatform
import Foundation

/// An archive read from its beginning to its end, through libarchive. Only the forms that models are shipped in are known to it.
///
/// Compression is undone before: a reader of tar files stops at their last entry, and checks of the compressed form may come after it.
final class ArchiveReader {
  private let archive: OpaquePointer
  private let path: String
  private let source: Source?

  /// What libarchive reads from.
  private final class Source {
    let stream: any ArchiveStream
    var failure: (any Error)?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)

    init(_ stream: any ArchiveStream) { self.stream = stream }

    deinit { buffer.deallocate() }

    /// How many bytes come next, and where they are; -1 for a failure, which is kept.
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
    /// Nil where the archive tells it after the bytes only.
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
      // With the list of entries at the end, so that an archive that is cut short is seen to be.
      archive_read_support_format_zip_seekable(archive)
      status = archive_read_open_filename(archive, path, 1 << 17)
    }
    guard status == ARCHIVE_OK else {
      throw failure(.archiveUnsupported, "the file is no archive that is read (tar.bz2, tar.gz, tar.xz, tar.zst, zip)")
    }
  }

  deinit { archive_read_free(archive) }

  /// The next entry; nil at the end.
  func next() throws -> Entry? {
    var pointer: OpaquePointer?
    // Names that the archive marks as UTF-8 are made into the locale's text.
    let locale = cplatform_use_utf8()
    let status = archive_read_next_header(archive, &pointer)
    cplatform_use_locale(locale)
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

  /// What follows the last entry, padding as a rule; 0 at its end. Only then is all of a compressed archive checked.
  func readPastEnd(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try source?.stream.read(into: buffer) ?? 0
  }

  private func failure(_ code: DeliveryError.Code, _ sentence: String) -> any Error {
    if let failure = source?.failure { return failure }
    let detail = archive_error_string(archive).map { String(cString: $0) } ?? ""
    return DeliveryError(
      Self.code(of: detail, else: code), detail.isEmpty ? sentence : "\(sentence): \(detail)", file: path)
  }

  /// What libarchive's words mean.
  static func code(of detail: String, else code: DeliveryError.Code) -> DeliveryError.Code {
    func says(_ words: String...) -> Bool { words.contains { detail.lowercased().contains($0) } }
    if says("truncated", "unexpected end", "premature end", "no progress is possible") { return .archiveTruncated }
    return says("unsupported", "encrypted") ? .archiveUnsupported : code
  }
}
