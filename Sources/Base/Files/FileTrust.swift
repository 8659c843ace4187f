#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Checks whether other users could have written files that a process trusts: caches, stores, records.
///
/// The process's own user and root are trusted. An operator can add users, for example if a volume belongs to another
/// user or if root works in a user's folders. `COREML_TRUSTED_USERS` has comma-separated user IDs, or `*` for
/// everybody. `COREML_TRUSTED_GROUPS` has groups whose members may write.
package struct FileTrust: Sendable, Equatable {
  package enum Kind: Sendable {
    case folder
    /// A file with exactly one name. A second name could be in a folder where others can write.
    case file
    /// A record, which may have a second name while it is moved into place.
    case record
  }

  package var users: Set<UInt32> = []
  package var groups: Set<UInt32> = []
  /// Disables all checks.
  package var everybody = false

  /// The configuration in this process's environment.
  package static let process = FileTrust { getenv($0).map { String(cString: $0) } }

  package init() {}

  package init(_ environment: (String) -> String?) {
    func numbers(_ name: String) -> [Substring] { environment(name)?.split { $0 == "," || $0 == " " } ?? [] }
    let names = numbers("COREML_TRUSTED_USERS")
    everybody = names.contains("*")
    users = Set(names.compactMap { UInt32($0) })
    groups = Set(numbers("COREML_TRUSTED_GROUPS").compactMap { UInt32($0) })
  }

  /// The reason why a file or folder with this status is not trusted; nil if it is trusted.
  package func refusal(of status: stat, as kind: Kind) -> String? {
    refusal(of: status, as: kind, mounts: MountTable.current)
  }

  package func refusal(of status: stat, as kind: Kind, mounts: @autoclosure () -> MountTable?) -> String? {
    if everybody { return nil }
    let mode = status.st_mode
    switch (kind, mode & S_IFMT) {
    case (.folder, S_IFDIR), (.file, S_IFREG), (.record, S_IFREG): break
    case (_, S_IFLNK): return "expected no symbolic link"
    default: return kind == .folder ? "expected a folder" : "expected a regular file"
    }
    guard isTrusted(user: status.st_uid) else {
      let wrong = "it belongs to user \(status.st_uid), expected user \(geteuid()) or root"
      return wrong + (mounts()?.advice(status.st_dev) ?? "; COREML_TRUSTED_USERS names who else is trusted")
    }
    // In a sticky folder, others can only add and change their own files.
    let isShared = mode & S_IWOTH != 0 || (mode & S_IWGRP != 0 && !groups.contains(status.st_gid))
    if isShared && !(kind == .folder && mode & S_ISVTX != 0) {
      let octal = String(mode & 0o7777, radix: 8)
      return "others can write to it (mode \(octal))"
        + (mounts()?.advice(status.st_dev) ?? "; take that from them, or COREML_TRUSTED_GROUPS names those who may")
    }
    if kind == .file && status.st_nlink > 1 { return "it has \(status.st_nlink) names (hard links), expected one" }
    return nil
  }

  package func isTrusted(user: UInt32) -> Bool {
    everybody || user == 0 || user == geteuid() || users.contains(user)
  }

  /// The reason why the file at a path is not trusted; nil if it is trusted or does not exist. With `followingLink`,
  /// the last component may be a symbolic link of a trusted user, as folders that users configure often are.
  package func refusal(at path: String, as kind: Kind, followingLink: Bool = false) -> String? {
    if everybody { return nil }
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    if followingLink && status.st_mode & S_IFMT == S_IFLNK {
      guard isTrusted(user: status.st_uid) else { return "it is a symbolic link of user \(status.st_uid)" }
      guard stat(path, &status) == 0 else { return nil }
    }
    return refusal(of: status, as: kind)
  }

  /// The reason, with its path, why a folder for the runtime's data is not used: others can write to it or to its
  /// parent.
  package func refusal(of folder: String) -> String? {
    if let reason = refusal(at: folder, as: .folder) { return "\(folder): \(reason)" }
    let parent = folder.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    if parent.isEmpty { return nil }
    return refusal(at: parent, as: .folder, followingLink: true).map { "\(parent): \($0)" }
  }
}

extension MountTable {
  /// Advice for a file whose owner and mode are determined by its mount; nil for other files.
  fileprivate func advice(_ device: dev_t) -> String? {
    withoutModes(device).map { kind in
      ", as everything has it on this file system (\(kind)), which keeps no owners and modes of its own: choose another place, mount it for "
        + "user \(geteuid()) alone, or COREML_TRUSTED_USERS=* trusts everybody who reaches it"
    }
  }
}
