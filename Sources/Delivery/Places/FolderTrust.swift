import CoreMLBase
import CoreMLSpec
import Foundation

extension FileTrust {
  /// Rejects a folder that other users could have written to.
  ///
  /// - Throws: ``DeliveryError`` `untrusted`.
  func require(folder: URL, followingLink: Bool = false) throws {
    guard let reason = refusal(at: folder.path, as: .folder, followingLink: followingLink) else { return }
    throw DeliveryError(.untrusted, "the folder is not used: \(reason)", file: folder.path)
  }

  /// Rejects a model's folder if other users could have written to any file or folder in it. Links are rejected, too.
  ///
  /// - Throws: ``DeliveryError`` `untrusted`; `notAModel` if the folders are nested too deeply.
  func require(tree: URL, as kind: Kind = .record, depth: Int = 16) throws {
    if everybody { return }
    var status = stat()
    guard lstat(tree.path, &status) == 0 else { return }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    if let reason = refusal(of: status, as: isFolder ? .folder : kind) {
      throw DeliveryError(.untrusted, "the \(isFolder ? "folder" : "file") is not used: \(reason)", file: tree.path)
    }
    guard isFolder else { return }
    guard depth > 0 else { throw DeliveryError(.notAModel, "the folder nests too deep", file: tree.path) }
    for name in (try? FileManager.default.contentsOfDirectory(atPath: tree.path)) ?? [] {
      try require(tree: tree.appending(path: name), as: kind, depth: depth - 1)
    }
  }
}

extension DeliveryDirectories {
  /// Removes write permission for group and others in a folder created by this process, regardless of its umask.
  static func keepToOwner(_ tree: URL, depth: Int = 16) throws {
    var status = stat()
    guard depth > 0, lstat(tree.path, &status) == 0, [S_IFDIR, S_IFREG].contains(status.st_mode & S_IFMT) else {
      return
    }
    if status.st_mode & 0o022 != 0, chmod(tree.path, status.st_mode & 0o755) != 0 {
      throw DeliveryError(.unwritable, "the mode cannot be changed", at: tree, errno: errno)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return }
    for name in (try? FileManager.default.contentsOfDirectory(atPath: tree.path)) ?? [] {
      try keepToOwner(tree.appending(path: name), depth: depth - 1)
    }
  }
}
