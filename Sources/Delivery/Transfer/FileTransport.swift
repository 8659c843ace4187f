import Foundation

/// A transport for `file:` URLs of this machine. It produces HTTP responses; the entity tag is derived from the file's
/// metadata.
public struct FileTransport: Transport {
  private static let piece = 1 << 20

  /// Creates a transport. It keeps no files open between requests.
  public init() {}

  public func response(to request: TransferRequest) async throws -> TransferResponse {
    let file = try Opened(request.url)
    if request.ifNoneMatch == file.etag { return TransferResponse(status: 304, url: request.url, etag: file.etag) }
    var response = TransferResponse(status: 200, url: request.url, etag: file.etag, contentLength: file.size)
    var start: Int64 = 0
    if request.offset > 0 && (request.ifRange == nil || request.ifRange == file.etag) {
      guard request.offset < file.size else {
        response.status = 416
        response.contentLength = 0
        response.contentRange = ContentRange(bounds: nil, total: file.size)
        return response
      }
      start = request.offset
      response.status = 206
      response.contentLength = file.size - start
      response.contentRange = ContentRange(bounds: start...(file.size - 1), total: file.size)
    }
    let position = Position(start)
    response.body = TransferBody {
      try Task.checkCancellation()
      return try position.advance { try file.read(at: $0, count: Self.piece) }
    }
    return response
  }

  /// A regular file, open while a response body refers to it.
  private final class Opened: Sendable {
    let descriptor: Int32
    let size: Int64
    let etag: String
    let url: URL

    init(_ url: URL) throws {
      guard url.host() == nil || url.host() == "" || url.host() == "localhost" else {
        throw DeliveryError(.unsupportedURL, "\(url.display): expected a file of this machine, found another host")
      }
      self.url = url
      // `O_NONBLOCK` prevents blocking on a FIFO or device at the path.
      descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else {
        throw DeliveryError(
          errno == ENOENT ? .notFound : .unreadable, "the file cannot be opened", at: url, errno: errno)
      }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        close(descriptor)
        throw DeliveryError(.unreadable, "expected a regular file", file: url.path)
      }
      size = Int64(status.st_size)
      etag =
        "\"\(status.st_dev)-\(status.st_ino)-\(status.st_size)-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)\""
    }

    deinit { close(descriptor) }

    /// Reads up to `count` bytes at an offset; nil at the end of the file.
    func read(at offset: Int64, count: Int) throws -> [UInt8]? {
      while true {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
          let read = pread(descriptor, buffer.baseAddress, count, off_t(offset))
          if read < 0 { failure = errno }
          filled = max(0, read)
        }
        if failure == 0 { return bytes.isEmpty ? nil : bytes }
        guard failure == EINTR else {
          throw DeliveryError(.unreadable, "the file cannot be read", at: url, errno: failure)
        }
      }
    }
  }
}
