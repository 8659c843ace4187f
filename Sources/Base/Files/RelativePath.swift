/// An untrusted relative path from a file. By name it cannot lead out of its folder.
package struct RelativePath {
  package let components: [String]

  /// Nil if the path is absolute, has a component that is empty, `.` or `..`, or contains a zero byte.
  package init?(_ path: String) {
    components = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard components.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." && !$0.utf8.contains(0) }) else { return nil }
  }

  package func below(_ folder: String) -> String {
    ([folder.hasSuffix("/") ? String(folder.dropLast()) : folder] + components).joined(separator: "/")
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The type of the file at a path. Symbolic links are followed.
package enum PathKind {
  case file, folder, other, nothing

  package init(of path: String) {
    var status = stat()
    guard !path.utf8.contains(0), stat(path, &status) == 0 else {
      self = .nothing
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .folder
    default: self = .other
    }
  }
}
