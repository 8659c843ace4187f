import Foundation

/// Removes an item recursively, using descriptors instead of paths. An attacker who replaces a folder with a link
/// meanwhile cannot redirect the removal.
enum FolderRemoval {
  private static let depthLimit = 64

  /// - Parameter owner: removes only items owned by this user; a folder that contains other items remains.
  /// - Returns: 0, or the errno value.
  static func remove(_ url: URL, ownedBy owner: uid_t? = nil) -> Int32 {
    let place = url.standardizedFileURL
    let parent = open(place.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { return errno }
    defer { close(parent) }
    return remove(place.lastPathComponent, in: parent, owner, depthLimit)
  }

  private static func remove(_ name: String, in parent: Int32, _ owner: uid_t?, _ depth: Int) -> Int32 {
    var status = stat()
    guard fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return errno }
    if let owner, status.st_uid != owner { return EPERM }
    guard status.st_mode & S_IFMT == S_IFDIR else { return unlinkat(parent, name, 0) == 0 ? 0 : errno }
    guard depth > 0 else { return ELOOP }
    let folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { return errno }
    guard let stream = fdopendir(folder) else {
      close(folder)
      return errno
    }
    defer { closedir(stream) }
    var opened = stat()
    guard fstat(folder, &opened) == 0, owner == nil || opened.st_uid == owner else { return EPERM }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    for name in names {
      let failure = remove(name, in: folder, owner, depth - 1)
      guard failure == 0 || failure == ENOENT else { return failure }
    }
    return unlinkat(parent, name, AT_REMOVEDIR) == 0 ? 0 : errno
  }
}
