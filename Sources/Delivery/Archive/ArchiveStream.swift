import CArchive
import Foundation

/// The decompressed bytes of an archive. Once a read returns 0, all checksums of the compressed data are verified.
protocol ArchiveStream: AnyObject {
  /// Fills as much of the buffer as possible; returns 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

/// A compression format of archives, detected by the first bytes of the file.
enum Compression {
  case gzip, bzip2, xz, zstd

  /// The number of bytes needed to detect any of the formats.
  static let headLength = 6

  /// Detects the format; nil for an unknown one.
  init?(head: [UInt8]) {
    // zstd: a frame, or a skippable frame (RFC 8878, 3.1), which pzstd writes first.
    let isSkippable = head.count >= 4 && head[0] & 0xF0 == 0x50 && head[1...3].elementsEqual([0x2A, 0x4D, 0x18])
    if head.starts(with: [0x1F, 0x8B]) {
      self = .gzip
    } else if head.starts(with: Array("BZh".utf8)) {
      self = .bzip2
    } else if head.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]) {
      self = .xz
    } else if isSkippable || head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
      self = .zstd
    } else {
      return nil
    }
  }
}

/// Returns the decompressed stream of a file; nil if the file is not compressed in a known format.
func archiveStream(of file: URL) throws -> (any ArchiveStream)? {
  var head = [UInt8](repeating: 0, count: Compression.headLength)
  let descriptor = try FileDescriptor(reading: file)
  let count = try head.withUnsafeMutableBytes { try descriptor.read(into: $0) }
  head.removeLast(head.count - count)
  switch Compression(head: head) {
  case .gzip: return try GzipStream(file)
  case .bzip2: return try FilteredArchive(.bzip2, file)
  case .xz: return try FilteredArchive(.xz, file)
  case .zstd: return try FilteredArchive(.zstd, file)
  case nil: return nil
  }
}

/// A stream through a libarchive filter, which verifies checksums.
private final class FilteredArchive: ArchiveStream {
  private let stream: DecompressingStream
  private let file: URL
  private var isAtEnd = false

  init(_ filter: CompressionFilter, _ file: URL) throws {
    self.file = file
    do { stream = try DecompressingStream(filter, file: file) } catch { throw Self.translated(error, file) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard !isAtEnd else { return 0 }
    do {
      let count = try stream.read(into: buffer)
      if count < buffer.count {
        isAtEnd = true
        try requireEnd()
      }
      return count
    } catch { throw Self.translated(error, file) }
  }

  /// Checks that only zero bytes follow the compressed data.
  private func requireEnd() throws {
    let descriptor = try FileDescriptor(reading: file)
    guard lseek(descriptor.number, off_t(stream.consumed), SEEK_SET) >= 0 else {
      throw DeliveryError(.unreadable, "the file cannot be read", at: file, errno: errno)
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try descriptor.read(into: buffer)
      if count == 0 { return }
      guard buffer.prefix(count).allSatisfy({ $0 == 0 }) else {
        throw DeliveryError(.archiveDamaged, "bytes that are no compressed data follow the archive", file: file.path)
      }
    }
  }

  private static func translated(_ error: any Error, _ file: URL) -> any Error {
    guard let error = error as? DeliveryError, error.code == .malformedPayload else { return error }
    let detail = error.message.split(separator: ": ").last ?? ""
    return DeliveryError(
      ArchiveReader.code(of: error.message, else: .archiveDamaged),
      "the archive's compressed data is damaged or cut short (\(detail))", file: file.path)
  }
}
