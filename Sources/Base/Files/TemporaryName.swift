#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Names beside a file's place that it is written under until it is whole: `<name>.<word>.partial`. A name so long that nothing could follow
/// it stands there as its beginning and a digest of the rest.
package enum TemporaryName {
  package static let suffix = ".partial"
  /// Bytes of a name that leave room for a word: file systems take 255.
  private static let longest = 200

  /// A path beside another that nobody else uses.
  package static func path(beside path: String) -> String {
    "\(stem(path)).\(String(UInt64.random(in: .min ... .max), radix: 36))\(suffix)"
  }

  /// Whether a word may be one of `path(beside:)`. Shorter ones are so rare that they belong to somebody else.
  package static func isWord(_ word: some StringProtocol) -> Bool {
    (9...13).contains(word.utf8.count)
      && word.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
  }

  /// What private names of a path, or of a name, begin with.
  package static func stem(_ path: String) -> String {
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let name = path[start...]
    guard name.utf8.count > longest else { return path }
    // FNV-1a: it tells names apart that begin alike.
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var (beginning, bytes) = ("", 0)
    for scalar in name.unicodeScalars {
      bytes += String(scalar).utf8.count
      guard bytes <= longest - 40 else { break }
      beginning.unicodeScalars.append(scalar)
    }
    return "\(path[..<start])\(beginning)-\(String(digest, radix: 16))"
  }

  // MARK: who writes

  /// Locks a file that was just made under a private name, so that whoever sweeps knows that it is being written; false where it was swept
  /// before that.
  package static func isHeld(_ descriptor: Int32) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK { return false }
    var status = stat()
    return fstat(descriptor, &status) != 0 || status.st_nlink > 0
  }

  /// Removes a file under a private name, unless somebody writes it, it is no file, or this user could not have written it.
  package static func sweep(_ path: String) {
    // File systems of networks lock for itself alone only what is open for writing.
    let file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return }
    defer { close(file) }
    var (opened, named) = (stat(), stat())
    guard fstat(file, &opened) == 0, FileTrust.process.refusal(of: opened, as: .file) == nil,
      flock(file, LOCK_EX | LOCK_NB) == 0, lstat(path, &named) == 0, named.st_ino == opened.st_ino,
      named.st_dev == opened.st_dev
    else { return }
    unlink(path)
  }

  /// Makes durable which names a file's folder holds; false (errno) where that fails.
  package static func synchronizeFolder(of path: String) -> Bool {
    let end = path.lastIndex(of: "/")
    return OpenFile.synchronize(end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
  }
}
