import CoreMLBase
import CoreMLSpec
import Foundation

/// The files of a model, with their file system metadata: a single file, or all files below a folder.
struct ModelContents: Codable, Equatable {
  /// One file: its path below the model, and metadata that changes whenever its content does. Programs cannot set the
  /// change time, so restoring the modification time does not hide a change.
  struct Entry: Codable, Equatable {
    let path: String
    let device: UInt64
    let inode: UInt64
    let size: Int64
    let modified: Int64
    let changed: Int64
  }

  let entries: [Entry]

  private static let depthLimit = 16
  private static let countLimit = 10_000

  /// Lists the model's files in the order of their paths. Links are followed, because the packages in some download
  /// caches consist of links.
  init(of model: URL) throws {
    var entries: [Entry] = []
    func visit(_ url: URL, _ path: String, depth: Int) throws {
      var status = stat()
      guard stat(url.path, &status) == 0 else {
        throw DeliveryError(.unreadable, "the file cannot be examined", at: url, errno: errno)
      }
      switch status.st_mode & S_IFMT {
      case S_IFREG: entries.append(Entry(path: path, status))
      case S_IFDIR:
        guard depth < Self.depthLimit else {
          throw DeliveryError(.notAModel, "the folder nests deeper than \(Self.depthLimit) levels", file: model.path)
        }
        for name in try Self.list(url).sorted() {
          try visit(url.appending(path: name), path.isEmpty ? name : "\(path)/\(name)", depth: depth + 1)
        }
      default:
        throw DeliveryError(
          .notAModel, "expected a file or a folder, found a pipe, a socket or a device", file: url.path)
      }
      guard entries.count <= Self.countLimit else {
        throw DeliveryError(.notAModel, "the folder holds more than \(Self.countLimit) files", file: model.path)
      }
    }
    try visit(model, "", depth: 0)
    self.entries = entries
  }

  private static func list(_ folder: URL) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path)
    } catch {
      throw DeliveryError(.unreadable, "the folder cannot be listed: \(reason(error))", file: folder.path)
    }
  }

  /// Returns whether no file has changed in the last `time` nanoseconds before `now` (``WallClock``).
  func isAtRest(for time: Int64, at now: Int64) -> Bool {
    entries.allSatisfy { entry in
      [entry.changed, entry.modified].allSatisfy { WallClock.elapsed(from: $0, to: now) > time }
    }
  }

  /// Returns all files with their digests, computed by streaming.
  func files(below model: URL) throws -> [TreeFile] {
    let buffer = try WorkingMemory.take()
    defer { WorkingMemory.giveBack(buffer) }
    return try entries.map { entry in
      var (sha, size) = (SHA256Digest(), Int64(0))
      try Self.read(entry.path.isEmpty ? model : model.appending(path: entry.path), into: buffer) {
        sha.append($0)
        size += Int64($0.count)
      }
      let path = entry.path.isEmpty ? TreeDigest.fileName : entry.path
      return TreeFile(path: path, size: size, sha256: sha.hexadecimal())
    }
  }

  /// The total size of the files in bytes.
  var size: Int64 { entries.reduce(0) { $0 + $1.size } }

  /// Rejects symbolic links, because stored models must not depend on files elsewhere.
  func requireNoLinks(below model: URL) throws {
    for entry in entries {
      var path = model
      for component in entry.path.split(separator: "/") {
        path.append(path: String(component))
        var status = stat()
        guard lstat(path.path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else {
          throw DeliveryError(.notAModel, "expected files and folders, found a link", file: path.path)
        }
      }
    }
  }

  /// Makes all files read-only, because stored models are immutable.
  func makeReadOnly(below model: URL) throws {
    for entry in entries {
      let url = entry.path.isEmpty ? model : model.appending(path: entry.path)
      guard chmod(url.path, 0o444) == 0 else {
        throw DeliveryError(.unwritable, "the file's mode cannot be changed", at: url, errno: errno)
      }
    }
  }

  private static func read(
    _ url: URL, into buffer: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw DeliveryError(.unreadable, "the file cannot be opened", at: url, errno: errno) }
    defer { close(descriptor) }
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count == 0 { return }
      if count < 0 {
        if errno == EINTR { continue }
        throw DeliveryError(.unreadable, "the file cannot be read", at: url, errno: errno)
      }
      body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}

extension ModelContents {
  /// The metadata of files when they were last verified. Device numbers are omitted, because they can change at a
  /// reboot.
  struct Stamp: Codable, Equatable {
    static let fileName = "stamp.json"
    let entries: [Entry]

    init(_ contents: ModelContents) {
      entries = contents.entries.map { entry in
        Entry(
          path: entry.path, device: 0, inode: entry.inode, size: entry.size, modified: entry.modified,
          changed: entry.changed)
      }
    }
  }
}

extension ModelContents.Entry {
  fileprivate init(path: String, _ status: stat) {
    self.init(
      path: path, device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      modified: WallClock.nanoseconds(status.st_mtim), changed: WallClock.nanoseconds(status.st_ctim))
  }
}
