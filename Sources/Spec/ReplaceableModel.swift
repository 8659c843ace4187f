#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Checks the target path of a model that is to be written. Only a model of the same kind or an empty folder is
/// replaced, since any other folder may contain the user's data.
package enum ReplaceableModel {
  /// The files that identify a model of each kind. One of them is present in each model.
  private static let marks = [
    "mlmodelc": ["coremldata.bin", "metadata.json"], "mlpackage": ["Manifest.json"], "mlmodel": [],
  ]

  /// The reason why the file or folder at a path is not replaced, for example "a folder that is no .mlmodelc". Nil if a
  /// model may be written.
  ///
  /// - Parameter kind: The extension of the model's name.
  package static func obstacle(at path: String, to kind: String) -> String? {
    var status = stat()
    // A symbolic link itself is replaced, not its target.
    guard let marks = marks[kind], lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return nil }
    guard status.st_mode & S_IFMT == S_IFDIR else { return kind == "mlmodel" ? nil : "a file that is no .\(kind)" }
    if marks.contains(where: { access("\(path)/\($0)", F_OK) == 0 }) { return nil }
    return kind != "mlmodel" && isEmpty(path) ? nil : "a folder that is no .\(kind)"
  }

  private static func isEmpty(_ path: String) -> Bool {
    guard let folder = opendir(path) else { return false }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != "." && name != ".." { return false }
    }
    return true
  }
}
