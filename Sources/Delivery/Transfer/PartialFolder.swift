import CoreMLBase
import Foundation
import Synchronization

/// The partial files of one target. They are stored next to the target, or next to a stable path on its file system.
/// Their names identify the writing process.
struct PartialFolder {
  let target: URL
  private let folder: URL
  private let prefix: String
  /// The age in seconds at which files of other machines count as abandoned.
  private static let forgotten = 7.0 * 86400
  /// The partial files that this process is writing.
  private static let own = Mutex<Set<String>>([])

  init(_ target: URL, beside place: URL? = nil) {
    self.target = target
    folder = (place ?? target).deletingLastPathComponent()
    var name = (place ?? target).lastPathComponent
    if name.utf8.count > 120 {
      var sha = SHA256Digest()
      sha.append(field: name)
      name = String(sha.hexadecimal().prefix(32))
    }
    prefix = ".\(name).fetch-"
  }

  /// Returns a temporary name that no other process uses.
  func makeName() -> String {
    let name = "\(prefix)\(PartialOwner.current.token).\(String(UInt64.random(in: .min ... .max), radix: 36)).partial"
    let path = folder.appending(path: name).path
    Self.own.withLock { _ = $0.insert(path) }
    return path
  }

  /// Returns whether a file belongs only to this user: no other owner, no write permission for others and no second
  /// hard link.
  static func isOwn(_ status: stat) -> Bool {
    status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid() && status.st_nlink == 1
      && status.st_mode & 0o022 == 0
  }

  private static func isOwn(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && isOwn(status)
  }

  static func release(_ path: String) { own.withLock { _ = $0.remove(path) } }

  static func record(of path: String) -> String { path + ".json" }

  /// Claims the longest usable partial file without a writer by renaming it, which succeeds in only one process.
  /// Removes all other leftovers.
  func claim(for item: TransferItem) throws -> (path: String, record: PartialRecord, isWhole: Bool)? {
    var best: (path: String, record: PartialRecord, isWhole: Bool, size: Int64)?
    var leftovers: [String] = []
    for name in try list() {
      let path = folder.appending(path: name).path
      // Files of other users and links in a shared folder are neither used nor removed.
      guard Self.isOwn(path) else { continue }
      guard let state = state(of: name, at: path) else { continue }
      guard state != .elsewhere else {
        if age(of: path) > Self.forgotten { leftovers.append(path) }
        continue
      }
      guard name.hasSuffix(".partial") else {
        leftovers.append(path)
        continue
      }
      guard let record = PartialRecord.read(Self.record(of: path)), record.serves(item), let size = size(of: path),
        size > (best?.size ?? 0)
      else {
        leftovers.append(path)
        continue
      }
      if let best { leftovers.append(best.path) }
      best = (path, record, state == .gone, size)
    }
    var claimed: (path: String, record: PartialRecord, isWhole: Bool)?
    if let best {
      let path = makeName()
      if rename(best.path, path) == 0 {
        claimed = (path, best.record, best.isWhole)
      } else {
        Self.release(path)
      }
    }
    // Records without a partial file were added to `leftovers` in the loop above.
    for path in leftovers { unlink(path) }
    return claimed
  }

  /// Returns the names of this target's partial files and their records.
  private func list() throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(prefix) }.sorted()
    } catch {
      throw DeliveryError(.unwritable, "the folder cannot be listed: \(reason(error))", file: folder.path)
    }
  }

  /// Returns the state of a file's writer; nil if it is still writing or if the name has no valid token.
  private func state(of name: String, at path: String) -> PartialOwner.State? {
    guard let owner = PartialOwner(token: name.dropFirst(prefix.count).prefix { $0 != "." }) else { return nil }
    if owner == .current {
      let isWritten = Self.own.withLock { own in own.contains { path.hasPrefix($0) } }
      return isWritten ? nil : .gone
    }
    let state = owner.state
    return state == .alive ? nil : state
  }

  private func size(of path: String) -> Int64? {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
  }

  private func age(of path: String) -> Double {
    var status = stat()
    return lstat(path, &status) == 0 ? Date().timeIntervalSince1970 - Double(status.st_mtim.tv_sec) : 0
  }
}
