import CZLib
import CoreMLServingInterface

/// The codings of bodies.
package enum ContentCoding: String, Sendable {
  case gzip, deflate

  /// - Throws: `unsupported` for a coding that the server does not know.
  package init?(contentEncoding: String?) throws(ServingError) {
    switch contentEncoding?.lowercased() {
    case nil, "", "identity": return nil
    case "gzip", "x-gzip": self = .gzip
    case "deflate": self = .deflate
    case .some(let name):
      throw ServingError(.unsupported, "The content encoding '\(name.prefix(32))' is not supported.")
    }
  }

  /// The coding for an answer.
  ///
  /// Many HTTP libraries offer several codings with every request, and compressing a tensor takes longer than sending
  /// it. Therefore tensors are compressed only for a client that names one coding alone, as `tritonclient` does when it
  /// is told to.
  package init?(acceptEncoding: String?, isBinary: Bool) {
    guard let acceptEncoding else { return nil }
    let offered = acceptEncoding.lowercased().split(separator: ",").compactMap { item -> String? in
      let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard let name = parts.first else { return nil }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      return quality > 0 ? name : nil
    }
    if isBinary, offered.count > 1 { return nil }
    if offered.contains("gzip") {
      self = .gzip
    } else if offered.contains("deflate") {
      self = .deflate
    } else {
      return nil
    }
  }
}

/// Decompresses a body piece by piece, with limits on its size and on the ratio.
// Sendable: one task or event loop uses it at a time.
package final class Inflater: @unchecked Sendable {
  /// The highest ratio of a body beyond 1 MB. Tensors of zeros reach 1000.
  package static let highestRatio = 200

  /// zlib remembers the address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var isOpen: Bool
  private var isDone = false
  private let limit: Int
  private let coding: ContentCoding
  private var (read, written) = (0, 0)
  private var chunk = [UInt8](repeating: 0, count: 64 << 10)

  package init(_ coding: ContentCoding, limit: Int) throws(ServingError) {
    (self.coding, self.limit) = (coding, limit)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    isOpen =
      inflateInit2_(stream, coding == .gzip ? 31 : 15, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK
    guard isOpen else { throw ServingError(.exhausted, "There is no memory to decompress the body.") }
  }

  deinit {
    if isOpen { inflateEnd(stream) }
    stream.deallocate()
  }

  /// - Parameter take: Gets the decompressed bytes.
  package func append(
    _ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) throws(ServingError) -> Void
  ) throws(ServingError) {
    guard let address = bytes.baseAddress, !bytes.isEmpty else { return }
    guard !isDone else { throw wrong() }
    if read == 0, coding == .deflate, bytes[0] & 0x0F != 8 {
      // Some clients send deflate without zlib's header.
      inflateReset2(stream, -15)
    }
    read += bytes.count
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: address.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(bytes.count)
    repeat {
      let status = chunk.withUnsafeMutableBufferPointer { buffer in
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(buffer.count)
        return inflate(stream, Z_NO_FLUSH)
      }
      let count = chunk.count - Int(stream.pointee.avail_out)
      written += count
      guard written <= limit else { throw RequestAssembler.tooLarge(limit) }
      guard written <= 1 << 20 || written / Self.highestRatio <= read else {
        throw ServingError(.tooLarge, "The body is compressed by more than \(Self.highestRatio) to 1.")
      }
      if count > 0 {
        let result = chunk.withUnsafeBytes { buffer -> Result<Void, ServingError> in
          do throws(ServingError) {
            return .success(try take(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
          } catch { return .failure(error) }
        }
        try result.get()
      }
      switch status {
      case Z_STREAM_END:
        isDone = true
        guard stream.pointee.avail_in == 0 else { throw wrong() }
        return
      case Z_OK: continue
      case Z_BUF_ERROR: return
      case Z_MEM_ERROR: throw ServingError(.exhausted, "There is no memory to decompress the body.")
      default: throw wrong()
      }
    } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
  }

  package func finish() throws(ServingError) { guard isDone else { throw wrong() } }

  private func wrong() -> ServingError {
    ServingError(.invalidArgument, "The body is not valid \(coding.rawValue) data.")
  }
}

/// Compresses an answer.
package enum Deflater {
  /// - Throws: `exhausted` if there is no memory.
  package static func compress(_ pieces: [AnswerBytes.Piece], _ coding: ContentCoding) throws(ServingError) -> ByteStore
  {
    // zlib remembers the address.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer { stream.deallocate() }
    guard
      deflateInit2_(
        stream, 1, Z_DEFLATED, coding == .gzip ? 31 : 15, 8, Z_DEFAULT_STRATEGY, zlibVersion(),
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw ServingError(.exhausted, "There is no memory to compress the answer.") }
    defer { deflateEnd(stream) }
    let store = ByteStore()
    for (index, piece) in pieces.enumerated() {
      stream.pointee.next_in = piece.bytes.baseAddress.map {
        UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self))
      }
      var rest = piece.count
      let isLast = index == pieces.count - 1
      repeat {
        let part = min(rest, 1 << 30)
        rest -= part
        stream.pointee.avail_in = UInt32(part)
        let flush = isLast && rest == 0 ? Z_FINISH : Z_NO_FLUSH
        repeat {
          store.append(upTo: 64 << 10) { out in
            stream.pointee.next_out = out
            stream.pointee.avail_out = 64 << 10
            deflate(stream, flush)
            return 64 << 10 - Int(stream.pointee.avail_out)
          }
          try store.check()
        } while stream.pointee.avail_out == 0
      } while rest > 0
    }
    return store
  }
}
