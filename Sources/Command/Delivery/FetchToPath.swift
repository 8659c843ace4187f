import CoreML
import CoreMLDelivery
import CoreMLModels
import CoreMLSpec
import Foundation

/// Fetches a model to a path that the user chose.
struct FetchToPath {
  let url: URL
  let output: String
  let isCompiled: Bool
  let places: DeliveryDirectories
  let key: KeyOptions

  private static let forms: Set<String> = ["mlmodel", "mlpackage", "mlmodelc"]

  func run(_ item: TransferItem, _ transfer: TransferOptions, json: Bool) throws {
    let path = URL(filePath: output).standardizedFileURL
    var status = stat()
    let isThere = stat(path.path, &status) == 0
    let wanted = path.pathExtension.lowercased()
    let isFolder = isThere && status.st_mode & S_IFMT == S_IFDIR && !Self.forms.contains(wanted)
    let parent = isFolder ? path : path.deletingLastPathComponent()
    guard stat(parent.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw Failure(.cannotWrite, "\(parent.path): expected a folder to write to, found none")
    }
    let records = FetchRecords(places)
    let destination = "path \(path.path)"
    var item = item
    if isThere && !isFolder, let digest = try? TreeDigest.digest(of: path),
      let known = records.known(url, for: destination, digest: digest)
    {
      (item.knownETag, item.knownLastModified) = (known.etag, known.lastModified)
    }
    let partials = parent.appending(path: isFolder ? FetchedFile.name(of: url) : path.lastPathComponent)
    let isRaw = !isFolder && !Self.forms.contains(wanted)
    let (result, target) =
      try isRaw
      ? (transfer.fetch(item, to: path, partialsBeside: partials), path)
      : place(item, transfer, in: parent, partials, as: isFolder ? nil : path)
    if result.isModified && !isFolder {
      try? records.remember(result, from: url, for: destination, digest: TreeDigest.digest(of: target))
    }
    try FetchReport(
      url: result.url.display, modified: result.isModified, bytes: result.isModified ? result.size : nil,
      sha256: result.isModified ? result.sha256 : nil, path: target.path
    ).say(json: json)
  }

  /// Fetches next to the target, unpacks, compiles if wanted, and moves the model to the target atomically.
  private func place(
    _ item: TransferItem, _ transfer: TransferOptions, in parent: URL, _ partials: URL, as path: URL?
  ) throws -> (TransferResult, URL) {
    StagingFolder.removeOrphans(in: parent)
    let folder = try StagingFolder(in: parent)
    let file = folder.url.appending(path: FetchedFile.name(of: url))
    let result = try transfer.fetch(item, to: file, partialsBeside: partials)
    guard result.isModified else { return (result, path ?? partials) }
    try Interruption.shared.check()
    var model = try FetchedFile.model(file, in: folder)
    // A host's error page must not replace a model.
    if !EncryptedModel.isEncrypted(model) {
      do { _ = try ModelLocation.open(model.path) } catch let error as SpecError {
        throw Failure(.data, "\(result.url.display): \(error.message)")
      }
    }
    let compiles = path.map { $0.pathExtension.lowercased() == "mlmodelc" } ?? isCompiled
    if compiles && model.pathExtension.lowercased() != "mlmodelc" && !EncryptedModel.isEncrypted(model) {
      let made = folder.url.appending(path: ".compiled", directoryHint: .isDirectory)
      guard mkdir(made.path, 0o700) == 0 else {
        throw Failure(.cannotWrite, "\(made.path): the folder cannot be made: \(String(cString: strerror(errno)))")
      }
      model = try CompiledModels.compile(model, into: made)
    }
    let target = path ?? parent.appending(path: model.lastPathComponent)
    guard target.pathExtension.lowercased() == model.pathExtension.lowercased() else {
      throw Failure(
        .data,
        "\(target.path): expected a .\(target.pathExtension), found \(model.lastPathComponent) at \(url.lastPathComponent)"
      )
    }
    try ReplaceableModel.requireReplaceable(target)
    try FolderReplacement.replace(target, with: model)
    return (result, target)
  }
}
