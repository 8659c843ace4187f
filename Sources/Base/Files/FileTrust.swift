#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whether others could have written what a process is about to believe: caches, stores, records.
///
/// Trusted are the process's own user and root. An operator names more of them where a volume belongs to somebody else, or where root works
/// in a user's folders: `COREML_TRUSTED_USERS`, numbers with commas between them, or `*` for everybody, and `COREML_TRUSTED_GROUPS`, whose
/// members may write.
package struct FileTrust: Sendable, Equatable {
  package enum Kind: Sendable {
    case folder
    /// A file that has one name; a second one may stand where others write.
    case file
    /// A record, which may have a second name while it is put in its place.
    case record
  }

  package var users: Set<UInt32> = []
  package var groups: Set<UInt32> = []
  /// Nothing is looked at.
  package var everybody = false

  /// What the environment of this process says.
  package static let process = FileTrust { getenv($0).map { String(cString: $0) } }

  package init() {}

  package init(_ environment: (String) -> String?) {
    func numbers(_ name: String) -> [Substring] { environment(name)?.split { $0 == "," || $0 == " " } ?? [] }
    let names = numbers("COREML_TRUSTED_USERS")
    everybody = names.contains("*")
    users = Set(names.compactMap { UInt32($0) })
    groups = Set(numbers("COREML_TRUSTED_GROUPS").compactMap { UInt32($0) })
  }

  /// Why what the system says of a file or folder is no reason to believe it; nil where it is.
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
    // In a sticky folder others add files of their own and touch nobody else's.
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

  /// The same of what stands at a path; nil also where nothing does. The last component may be a link that somebody trusted made where
  /// `followingLink` is set: the places that a user chooses often are.
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

  /// Why a folder that a runtime keeps things in is not used: it, or the one above it, is not ours alone; with its path.
  package func refusal(of folder: String) -> String? {
    if let reason = refusal(at: folder, as: .folder) { return "\(folder): \(reason)" }
    let parent = folder.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    if parent.isEmpty { return nil }
    return refusal(at: parent, as: .folder, followingLink: true).map { "\(parent): \($0)" }
  }
}

extension MountTable {
  /// What is to be done about a file whose owner and mode nothing but its mount can change; nil for others.
  fileprivate func advice(_ device: dev_t) -> String? {
    withoutModes(device).map { kind in
      ", as everything has it on this file system (\(kind)), which keeps no owners and modes of its own: choose another place, mount it for "
        + "user \(geteuid()) alone, or COREML_TRUSTED_USERS=* trusts everybody who reaches it"
    }
  }
}
