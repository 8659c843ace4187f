#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What stands where a model is to be written. Only a model of that kind, or an empty folder, is replaced: any other folder is somebody's.
package enum ReplaceableModel {
  /// Every model of a kind has one of these files.
  private static let marks = [
    "mlmodelc": ["coremldata.bin", "metadata.json"], "mlpackage": ["Manifest.json"], "mlmodel": [],
  ]

  /// Why what stands at a path is not replaced, such as "a folder that is no .mlmodelc". Nil where a model may be written.
  ///
  /// - Parameter kind: the suffix that the model's name has, or would have.
  package static func obstacle(at path: String, to kind: String) -> String? {
    var status = stat()
    // A link is replaced itself, and not what it leads to.
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
