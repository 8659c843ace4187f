import CoreMLBase
import CoreMLSpec
import Foundation
import Synchronization

/// A disk cache for data that can be recomputed: compiled programs and measured profiles. One file each, named by the
/// digest of everything that its content depends on.
///
/// A file is `magic, length of the payload, SHA-256 of the payload, payload`. It is written under a temporary name and
/// renamed, so readers see all of it or nothing. A file that is damaged, or that other users could have written, is
/// ignored and rewritten. A directory that cannot be written, or that others can write to, silently turns the cache
/// off, because the cache only saves time.
final class FileCache: Sendable {
  /// Part of every key. Raise it when the layout of files or the meaning of keys changes.
  private static let magic = Array("CACHED01".utf8)
  // Larger than any content, so a longer file is damaged.
  private static let limit = 256 << 20

  private let directory: String?
  private let failed = Atomic(false)
  private let isTrusted: Mutex<Bool?> = Mutex(nil)

  init(directory: String?) { self.directory = directory }

  var isEnabled: Bool { directory != nil && !failed.load(ordering: .relaxed) }

  /// The name of a file. `parts` has everything that the content depends on; the suffix names its kind.
  static func fileName(_ parts: [String], suffix: String) -> String {
    // Lengths separate adjacent parts.
    SHA256Digest.hexadecimal(of: magic + parts.flatMap { Array("\($0.utf8.count)\n".utf8) + Array($0.utf8) })
      + ".\(suffix)"
  }

  func load(_ name: String) -> [UInt8]? {
    guard let path = path(name), isOwn else { return nil }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, FileTrust.process.refusal(of: status, as: .file) == nil else { return nil }
    let header = Self.magic.count + 8 + 64
    guard let data = try? file.read(upToCount: Self.limit + header), data.count > header else { return nil }
    let bytes = [UInt8](data)
    let length = bytes[8..<16].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let payload = Array(bytes[header...])
    guard Array(bytes[..<8]) == Self.magic, length == UInt64(payload.count),
      Array(bytes[16..<header]) == Array(SHA256Digest.hexadecimal(of: payload).utf8)
    else { return nil }
    return payload
  }

  func save(_ payload: [UInt8], _ name: String) {
    guard isEnabled, !payload.isEmpty, payload.count <= Self.limit, let directory, let path = path(name) else { return }
    let length = (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) }
    let draft = "\(path).\(getpid()).\(UInt64.random(in: .min ... .max)).tmp"
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      guard isOwn else { return }
      let file = try FileWriter(path: path, privateName: draft, mode: 0o600)
      try file.append(Self.magic + length + Array(SHA256Digest.hexadecimal(of: payload).utf8) + payload)
      try file.commit(namingDurably: false)
    } catch {
      failed.store(true, ordering: .relaxed)
    }
  }

  /// Whether only this user can write to the directory. Checked once, as soon as the directory exists.
  private var isOwn: Bool {
    guard let directory else { return false }
    return isTrusted.withLock { known in
      if let known { return known }
      guard access(directory, F_OK) == 0 else { return true }
      let isOwn = FileTrust.process.refusal(of: directory) == nil
      known = isOwn
      return isOwn
    }
  }

  private func path(_ name: String) -> String? {
    guard isEnabled, let directory else { return nil }
    return directory + "/" + name
  }
}
