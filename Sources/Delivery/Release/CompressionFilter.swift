import CArchive
import FeatureFiles
import Foundation

/// A compression filter of libarchive, used as a raw stream without an archive format.
enum CompressionFilter {
  case none, bzip2, xz, zstd

  /// The size of the buffers between reader, filter and writer, in bytes.
  static let pieceSize = 1 << 20
}

/// Compresses a stream into a sink closure.
final class CompressingStream {
  private let archive: OpaquePointer?
  private let context: Context
  private let entry: OpaquePointer?
  private let filter: CompressionFilter

  /// `AE_IFREG` of archive_entry.h. `S_IFREG` would be ambiguous, because both CArchive and the system module may
  /// declare it.
  private static let regularFile: mode_t = 0o100000

  private final class Context {
    let sink: (UnsafeRawBufferPointer) throws -> Void
    var failure: (any Error)?
    init(_ sink: @escaping (UnsafeRawBufferPointer) throws -> Void) { self.sink = sink }

    /// The write callback of libarchive. Returns the number of bytes consumed, or -1.
    static func write(_ data: UnsafeMutableRawPointer?, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
      guard let data, let bytes else { return -1 }
      let context = Unmanaged<Context>.fromOpaque(data).takeUnretainedValue()
      do {
        try context.sink(UnsafeRawBufferPointer(start: bytes, count: count))
        return count
      } catch {
        context.failure = error
        return -1
      }
    }
  }

  /// - Parameter level: in the compressor's own scale.
  init(
    _ filter: CompressionFilter, level: Int, to sink: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    self.filter = filter
    context = Context(sink)
    guard filter != .none else {
      (archive, entry) = (nil, nil)
      return
    }
    archive = archive_write_new()
    entry = archive_entry_new()
    let name: String
    let added: Int32
    switch filter {
    case .none, .bzip2: (name, added) = ("bzip2", archive_write_add_filter_bzip2(archive))
    case .xz: (name, added) = ("xz", archive_write_add_filter_xz(archive))
    case .zstd: (name, added) = ("zstd", archive_write_add_filter_zstd(archive))
    }
    // A result other than `ARCHIVE_OK` means that libarchive would run an external program.
    guard added == ARCHIVE_OK, archive_write_set_format_raw(archive) == ARCHIVE_OK,
      archive_write_set_filter_option(archive, name, "compression-level", "\(level)") == ARCHIVE_OK,
      archive_write_set_bytes_per_block(archive, Int32(CompressionFilter.pieceSize)) == ARCHIVE_OK,
      archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK
    else { throw DeliveryError(.cannotPublish, "this system's libarchive cannot compress with \(name)") }
    archive_entry_set_filetype(entry, Self.regularFile)
    archive_entry_set_pathname(entry, "data")
    guard
      archive_write_open2(
        archive, Unmanaged.passUnretained(context).toOpaque(), nil,
        { _, data, bytes, count in Context.write(data, bytes, count) }, nil, nil) == ARCHIVE_OK,
      archive_write_header(archive, entry) == ARCHIVE_OK
    else { throw failure() }
  }

  deinit {
    // `archive_write_free` also closes the archive, which would call the sink for an abandoned stream.
    if let archive {
      archive_write_fail(archive)
      archive_write_free(archive)
    }
    if let entry { archive_entry_free(entry) }
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    guard bytes.count > 0 else { return }
    guard let archive else { return try context.sink(bytes) }
    guard archive_write_data(archive, bytes.baseAddress, bytes.count) == bytes.count else { throw failure() }
  }

  /// Flushes the remaining data.
  func finish() throws {
    guard let archive else { return }
    guard archive_write_close(archive) == ARCHIVE_OK else { throw failure() }
  }

  private func failure() -> any Error {
    context.failure
      ?? DeliveryError(
        .cannotPublish,
        "the payload cannot be compressed: \(archive_error_string(archive).map { String(cString: $0) } ?? "no memory")")
  }
}

/// Reads a file through one decompressor. Memory use is limited to the decompressor's window, regardless of sizes
/// stated in the file.
final class DecompressingStream {
  private let archive: OpaquePointer?
  private let descriptor: Int32
  private let file: URL

  init(_ filter: CompressionFilter, file: URL) throws {
    self.file = file
    descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      archive = nil
      throw DeliveryError(.unreadable, "the payload cannot be opened", at: file, errno: errno)
    }
    guard filter != .none else {
      archive = nil
      return
    }
    archive = archive_read_new()
    let code: Int32
    switch filter {
    case .none, .bzip2: code = ARCHIVE_FILTER_BZIP2
    case .xz: code = ARCHIVE_FILTER_XZ
    case .zstd: code = ARCHIVE_FILTER_ZSTD
    }
    // The filter is set explicitly instead of detected. A file that is itself compressed must be returned unmodified.
    guard archive_read_append_filter(archive, code) == ARCHIVE_OK,
      archive_read_support_format_raw(archive) == ARCHIVE_OK
    else { throw DeliveryError(.malformedPayload, "this system's libarchive does not know the form", file: file.path) }
    var entry: OpaquePointer?
    guard archive_read_open_fd(archive, descriptor, CompressionFilter.pieceSize) == ARCHIVE_OK,
      archive_read_next_header(archive, &entry) == ARCHIVE_OK
    else { throw failure() }
  }

  deinit {
    if let archive { archive_read_free(archive) }
    if descriptor >= 0 { close(descriptor) }
  }

  /// The number of bytes of the file consumed so far.
  var consumed: Int64 { archive.map { archive_filter_bytes($0, -1) } ?? Int64(lseek(descriptor, 0, SEEK_CUR)) }

  /// Fills the buffer; it is filled only partly at the end of the data.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var done = 0
    while done < buffer.count, let base = buffer.baseAddress {
      let count =
        archive.map { archive_read_data($0, base + done, buffer.count - done) }
        ?? Glibc.read(descriptor, base + done, buffer.count - done)
      if count < 0 {
        if archive == nil && errno == EINTR { continue }
        throw failure()
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  private func failure() -> DeliveryError {
    guard let archive else { return DeliveryError(.unreadable, "the payload cannot be read", at: file, errno: errno) }
    let failure = ArchiveFailure(archive)
    if let number = failure.number {
      return DeliveryError(.unreadable, "the payload cannot be read", at: file, errno: number)
    }
    let reason = failure.reason ?? "it ends early"
    return DeliveryError(.malformedPayload, "the payload cannot be unpacked: \(reason)", file: file.path)
  }
}
