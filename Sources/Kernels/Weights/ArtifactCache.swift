import CoreMLBase
import Foundation
import Synchronization

/// Packed weights, kept on disk between processes and memory-mapped by all of them: one file for each packed weight, in
/// a folder of this user.
///
/// The cache can never fail a prediction; it can only cost time. It ignores and rewrites a file that is damaged or that
/// other users could have written. It turns itself off if the folder cannot be created or written. It stores nothing on
/// a disk that is nearly full.
package final class ArtifactCache: Sendable {
  /// Part of every name. Change it when the layout of files or the meaning of their content changes.
  private static let format = "1"
  /// Bytes of the disk that stay free for others.
  private static let reserve = 512 << 20

  package let folder: String
  /// Limit for the bytes of all files.
  package let limit: Int
  private let state = Mutex(State())

  private struct State {
    var isOpen: Bool?
    /// Bytes in the folder, estimated from the last count and the bytes written since.
    var bytes: Int?
  }

  /// A file of the cache.
  package struct Entry: Sendable {
    package let name: String
    package let bytes: Int
    package let lastUse: Date
  }

  package init(folder: String, limit: Int) { (self.folder, self.limit) = (folder, limit) }

  /// The file name of content that depends on `parts` and nothing else.
  static func name(_ parts: [String]) -> String {
    // Lengths separate adjacent parts.
    let text = ([format] + parts).map { "\($0.utf8.count) \($0)" }.joined(separator: "\n")
    return Array(text.utf8).withUnsafeBytes { SHA256Digest.hexadecimal(of: $0) }
  }

  private func path(_ name: String) -> String { "\(folder)/\(name).packed" }

  // MARK: use

  func load(_ name: String, byteCount: Int) -> PackedMemory? {
    guard isOpen else { return nil }
    return ArtifactFile.map(path(name), name: name, byteCount: byteCount)
  }

  /// Writes the bytes to a file. Returns a mapping of the file, which replaces the memory.
  func save(_ memory: PackedMemory, _ name: String) -> PackedMemory? {
    let size = memory.byteCount + ArtifactFile.headerBytes
    guard isOpen, size <= limit / 2, hasRoom(for: size) else { return nil }
    guard let kept = ArtifactFile.write(memory.bytes, name, to: path(name)) else {
      state.withLock { $0.isOpen = false }
      return nil
    }
    let total = state.withLock { state in
      let before = state.bytes ?? entries().reduce(0) { $0 + $1.bytes } - size
      state.bytes = before + size
      return before + size
    }
    if total > limit { prune(to: limit / 4 * 3) }
    return kept
  }

  private var isOpen: Bool {
    state.withLock { state in
      if let known = state.isOpen { return known }
      let isOpen = ArtifactFile.prepare(folder: folder)
      state.isOpen = isOpen
      return isOpen
    }
  }

  private func hasRoom(for bytes: Int) -> Bool {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return false }
    let (free, overflow) = Int(status.f_bavail).multipliedReportingOverflow(by: Int(status.f_frsize))
    return overflow || free - Self.reserve > bytes
  }

  // MARK: maintenance

  /// The files of the cache, least recently used first.
  package func entries() -> [Entry] {
    files().compactMap { file in
      guard file.name.hasSuffix(".packed") else { return nil }
      return Entry(name: file.name, bytes: file.bytes, lastUse: file.lastUse)
    }.sorted { ($0.lastUse, $0.name) < ($1.lastUse, $1.name) }
  }

  private func files() -> [Entry] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap { name in
      var status = stat()
      guard lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      return Entry(name: name, bytes: Int(status.st_size), lastUse: status.lastWrite)
    }
  }

  /// Removes the least recently used files until all take at most `bytes`, and partial files of writers that ended.
  /// Processes that have a file mapped keep their mapping. Returns the entries that were removed, or would be.
  @discardableResult
  package func prune(to bytes: Int, isDryRun: Bool = false) -> [Entry] {
    let left = files().filter { $0.name.hasSuffix(".partial") && $0.lastUse.timeIntervalSinceNow < -3600 }
    for file in left where !isDryRun {
      unlink("\(folder)/\(file.name)")
    }
    let all = entries()
    var total = all.reduce(0) { $0 + $1.bytes }
    var removed: [Entry] = []
    for entry in all where total > bytes {
      guard isDryRun || unlink("\(folder)/\(entry.name)") == 0 else { continue }
      total -= entry.bytes
      removed.append(entry)
    }
    let kept = total
    if !isDryRun { state.withLock { $0.bytes = kept } }
    return removed
  }
}

extension stat {
  fileprivate var lastWrite: Date {
    #if canImport(Darwin)
      let time = st_mtimespec
    #else
      let time = st_mtim
    #endif
    return Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
  }
}
