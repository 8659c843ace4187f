import CoreMLBase
import CoreMLSpec
import Foundation

extension FileTrust {
  /// Refuses a folder that others could have put something into.
  ///
  /// - Throws: ``DeliveryError`` `untrusted`.
  func require(folder: URL, followingLink: Bool = false) throws {
    guard let reason = refusal(at: folder.path, as: .folder, followingLink: followingLink) else { return }
    throw DeliveryError(.untrusted, "the folder is not used: \(reason)", file: folder.path)
  }

  /// Refuses a folder of a model in which others could have written anything: every file and folder is looked at, and links are refused.
  ///
  /// - Throws: ``DeliveryError`` `untrusted`, `notAModel` when it nests too deep.
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
  /// Takes the right to write from everybody but the owner, in a folder that was made here: whatever the process's mask is.
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
