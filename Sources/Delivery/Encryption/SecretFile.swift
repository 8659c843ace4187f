import CoreMLBase
import CoreMLSpec
import Foundation

/// Files that contain secrets, accessible only to their owner. Their content is read into ``SecretMemory``.
enum SecretFile {
  /// - Parameters:
  ///   - what: the expected content, for error messages.
  ///   - wrong: the error code for a file that others can access, or that has another content.
  static func read(_ url: URL, limit: Int, what: String, wrong: DeliveryError.Code) throws -> SecretMemory {
    // `O_NONBLOCK` prevents blocking on a FIFO.
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw DeliveryError(.unreadable, "the \(what) cannot be read", at: url, errno: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
      throw DeliveryError(wrong, "expected the file of a \(what), found something else", file: url.path)
    }
    guard status.st_mode & 0o077 == 0 else {
      throw DeliveryError(
        wrong, "others than its owner have access to the \(what): its mode must be 0600", file: url.path)
    }
    return try read(descriptor, limit: limit, what: what, from: url.path, wrong: wrong)
  }

  /// Reads a descriptor to its end.
  static func read(
    _ descriptor: Int32, limit: Int, what: String, from place: String, wrong: DeliveryError.Code
  ) throws -> SecretMemory {
    let buffer = try memory(limit + 1)
    var count = 0
    while count <= limit {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[count...])
      let got = Glibc.read(descriptor, rest.baseAddress, rest.count)
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else {
        throw DeliveryError(
          .unreadable, "the \(what) cannot be read: \(String(cString: strerror(errno)))", file: place)
      }
      if got == 0 { return try copy(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count])) }
      count += got
    }
    throw DeliveryError(wrong, "expected a \(what) of at most \(limit) bytes, found more", file: place)
  }

  static func copy(_ bytes: UnsafeRawBufferPointer) throws -> SecretMemory {
    let memory = try memory(bytes.count)
    memory.bytes.copyMemory(from: bytes)
    return memory
  }

  static func memory(_ count: Int) throws -> SecretMemory {
    do { return try SecretMemory(count: count) } catch { throw DeliveryError(.unreadable, "\(error)") }
  }

  /// Writes a new file that only its owner can read.
  static func write(_ bytes: Data, to file: URL) throws {
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw DeliveryError(.unwritable, "the key cannot be written", at: file, errno: errno)
    }
    defer { close(descriptor) }
    let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard written == bytes.count, fsync(descriptor) == 0 else {
      let number = errno
      unlink(file.path)
      throw DeliveryError(.unwritable, "the key cannot be written", at: file, errno: number)
    }
  }
}

extension Data {
  /// Zeroes the bytes in place. Other values must not share the storage, because it would be copied first.
  mutating func wipe() { withUnsafeMutableBytes { SecretMemory.wipe($0) } }
}
