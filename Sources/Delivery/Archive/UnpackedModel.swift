import Foundation

/// Finds the model in an unpacked archive.
public enum UnpackedModel {
  /// Returns the only model in a folder or below it: a package, a compiled model, an encrypted model, or a `.mlmodel`.
  /// Models inside other models are ignored.
  ///
  /// - Throws: ``DeliveryError`` `archiveNotOneModel`.
  public static func find(in folder: URL) throws -> URL {
    var found: [URL] = []
    try search(folder, &found, depth: 0)
    guard found.count == 1, let model = found.first else {
      let names = found.map(\.lastPathComponent).sorted().prefix(5).joined(separator: ", ")
      throw DeliveryError(
        .archiveNotOneModel, "expected one model, found \(found.isEmpty ? "none" : "\(found.count): \(names)")",
        file: folder.path)
    }
    return model
  }

  private static func search(_ url: URL, _ found: inout [URL], depth: Int) throws {
    guard depth <= ArchiveLimits().depth, found.count < 100 else { return }
    var status = stat()
    guard lstat(url.path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFREG {
      if ["mlmodel", EncryptedModel.fileExtension].contains(url.pathExtension.lowercased()) { found.append(url) }
      return
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return }
    if (try? StoredModel.Form(of: url)) != nil {
      found.append(url)
      return
    }
    for name in ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() {
      try search(url.appending(path: name), &found, depth: depth + 1)
    }
  }
}
