import CZLib
import Foundation

/// Reads a gzip file (RFC 1952) member by member. zlib verifies the CRC-32 and length of each member, which
/// libarchive's filter does not.
///
/// Zero bytes may follow the last member, as on tapes. Any other trailing data is an error.
final class GzipStream: ArchiveStream {
  private let file: FileDescriptor
  private let path: String
  /// zlib's internal state points to this struct, so it must not move.
  private let state = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
  /// The unread part of `input`.
  private var rest = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var isBetweenMembers = false

  init(_ url: URL) throws {
    path = url.path
    state.initialize(to: z_stream())
    // Window bits: 15 is the maximum window, plus 16 for the gzip format only.
    let status = inflateInit2_(state, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    do {
      guard status == Z_OK else {
        throw DeliveryError(.noMemory, "there is no memory to read the archive", file: url.path)
      }
      file = try FileDescriptor(reading: url)
    } catch {
      inflateEnd(state)
      state.deallocate()
      input.deallocate()
      throw error
    }
  }

  deinit {
    inflateEnd(state)
    state.deallocate()
    input.deallocate()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var done = 0
    while done < buffer.count {
      if rest.isEmpty, try !refill() {
        if isBetweenMembers { break }
        throw DeliveryError(.archiveTruncated, "the archive ends within its gzip data", file: path)
      }
      if isBetweenMembers, try !begin() { break }
      let target = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      done += try inflate(into: target)
    }
    return done
  }

  /// Returns the number of bytes from one call of zlib, possibly 0.
  private func inflate(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    let (given, room) = (UInt32(clamping: rest.count), UInt32(clamping: target.count))
    state.pointee.next_in = rest.baseAddress?.assumingMemoryBound(to: UInt8.self)
    state.pointee.avail_in = given
    state.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
    state.pointee.avail_out = room
    let status = CZLib.inflate(state, Z_NO_FLUSH)
    rest = UnsafeMutableRawBufferPointer(rebasing: rest.dropFirst(Int(given - state.pointee.avail_in)))
    switch status {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isBetweenMembers = true
    case Z_MEM_ERROR: throw DeliveryError(.noMemory, "there is no memory to read the archive", file: path)
    default:
      let detail = state.pointee.msg.map { String(cString: $0) } ?? "zlib's status is \(status)"
      throw DeliveryError(.archiveDamaged, "the archive's gzip data is damaged: \(detail)", file: path)
    }
    return Int(room - state.pointee.avail_out)
  }

  /// Begins the next member; returns false if there are no more members.
  private func begin() throws -> Bool {
    guard rest.first == 0x1F else {
      try passZeros()
      return false
    }
    guard inflateReset(state) == Z_OK else {
      throw DeliveryError(.archiveDamaged, "the archive's gzip data cannot be read on", file: path)
    }
    isBetweenMembers = false
    return true
  }

  private func passZeros() throws {
    repeat {
      guard rest.allSatisfy({ $0 == 0 }) else {
        throw DeliveryError(.archiveDamaged, "bytes that are no gzip data follow the archive", file: path)
      }
    } while try refill()
  }

  /// Returns false at the end of the file.
  private func refill() throws -> Bool {
    rest = UnsafeMutableRawBufferPointer(rebasing: input.prefix(try file.read(into: input)))
    return !rest.isEmpty
  }
}

/// An open file for reading, closed when its last reference is released.
final class FileDescriptor {
  let number: Int32
  private let url: URL

  /// - Throws: ``DeliveryError`` `unreadable`, also for a pipe or a device, which may never end.
  init(reading url: URL) throws {
    self.url = url
    number = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard number >= 0 else { throw DeliveryError(.unreadable, "the file cannot be opened", at: url, errno: errno) }
    var status = stat()
    guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw DeliveryError(.unreadable, "expected a file, found a folder, a pipe or a device", file: url.path)
    }
  }

  // This also runs if the initializer throws, because all properties are set by then.
  deinit { if number >= 0 { close(number) } }

  /// Reads the next bytes; returns 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let count = Glibc.read(number, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      guard errno == EINTR else { throw DeliveryError(.unreadable, "the file cannot be read", at: url, errno: errno) }
    }
  }
}
