import CoreMLBase
import CoreMLSpec
import CPlatform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// One file of an `ArtifactCache`: a page with the header, then the bytes.
///
///     CMLPACK1 | name (64 letters) | number of bytes (u64) | checksum of them (u64) | zeros up to 4096 | the bytes
enum ArtifactFile {
  static let headerBytes = 4096
  private static let magic = Array("CMLPACK1".utf8)

  static func header(_ name: String, _ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var header = magic + Array(name.utf8)
    let sum = cplatform_checksum(bytes.baseAddress, bytes.count)
    for number in [UInt64(bytes.count), sum] {
      withUnsafeBytes(of: number.littleEndian) { header.append(contentsOf: $0) }
    }
    return header + [UInt8](repeating: 0, count: headerBytes - header.count)
  }

  /// Maps a file that only this user can write, that is complete and undamaged. Returns nil for any other file. Updates
  /// the file's time of last use.
  static func map(_ path: String, name: String, byteCount: Int) -> PackedMemory? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard isTrusted(descriptor, byteCount: byteCount), let memory = map(descriptor, byteCount: byteCount) else {
      return nil
    }
    let start = memory.pointer - headerBytes
    let isWhole = Self.header(name, memory.bytes).withUnsafeBytes { expected in
      expected.baseAddress.map { memcmp($0, start, headerBytes) == 0 } ?? false
    }
    guard isWhole else { return nil }
    _ = futimens(descriptor, nil)
    return memory
  }

  /// Maps a file that this process has just written.
  static func map(_ descriptor: Int32, byteCount: Int) -> PackedMemory? {
    let (count, overflow) = byteCount.addingReportingOverflow(headerBytes)
    guard !overflow, let base = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0), base != MAP_FAILED else {
      return nil
    }
    return PackedMemory(mapping: base, count: count, offset: headerBytes, byteCount: byteCount)
  }

  /// Whether this is a regular file of the right size that only this user can have written.
  private static func isTrusted(_ descriptor: Int32, byteCount: Int) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, Int(status.st_size) == byteCount + headerBytes else { return false }
    return FileTrust.process.refusal(of: status, as: .file) == nil
  }

  /// Creates a folder that only this user can write to. Returns false if there is no such folder in the end.
  static func prepare(folder: String) -> Bool {
    var status = stat()
    if lstat(folder, &status) != 0 {
      let parent = folder.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
      guard !parent.isEmpty, isFolder(parent) || prepareParent(parent) else { return false }
      guard mkdir(folder, 0o700) == 0 || errno == EEXIST, lstat(folder, &status) == 0 else { return false }
    }
    return FileTrust.process.refusal(of: folder) == nil
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func prepareParent(_ path: String) -> Bool {
    var made = ""
    for part in path.split(separator: "/") {
      made += "/\(part)"
      if !isFolder(made), mkdir(made, 0o700) != 0, errno != EEXIST { return false }
    }
    return true
  }

  /// Writes a file under a temporary name and then renames it. On failure it leaves nothing behind and returns nil.
  static func write(_ bytes: UnsafeRawBufferPointer, _ name: String, to path: String) -> PackedMemory? {
    let partial = "\(path).\(getpid()).\(String(UInt64.random(in: .min ... .max), radix: 36)).partial"
    let descriptor = open(partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let isWritten = header(name, bytes).withUnsafeBytes { append($0, to: descriptor) } && append(bytes, to: descriptor)
    guard isWritten, rename(partial, path) == 0 else {
      unlink(partial)
      return nil
    }
    return map(descriptor, byteCount: bytes.count)
  }

  private static func append(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    var done = 0
    while done < bytes.count {
      let written = Self.write(descriptor, base + done, min(bytes.count - done, 1 << 30))
      if written < 0 {
        if errno == EINTR { continue }
        return false
      }
      done += written
    }
    return true
  }

  private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes, count)
    #elseif canImport(Musl)
      Musl.write(descriptor, bytes, count)
    #else
      Darwin.write(descriptor, bytes, count)
    #endif
  }
}
