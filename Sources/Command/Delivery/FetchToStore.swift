import CoreML
import CoreMLDelivery
import Foundation

/// Fetches a model into the user's store and points a name at it.
struct FetchToStore {
  let url: URL
  let name: String
  /// Whether the model is compiled and tried before the name points to it.
  let isTried: Bool
  let places: DeliveryDirectories
  let options: InstallOptions

  func run(_ item: TransferItem, _ transfer: TransferOptions, json: Bool) throws {
    let user = try UserStore()
    let records = FetchRecords(places)
    let destination = "name \(name)"
    var item = item
    try user.requireOwn(name)
    let current = try user.store.active(name: name)
    if let current, options.expect.map({ $0 == current.digest }) ?? true,
      let known = records.known(url, for: destination, digest: current.digest)
    {
      (item.knownETag, item.knownLastModified) = (known.etag, known.lastModified)
    }
    let folder = try user.store.stagingFolder()
    let file = folder.url.appending(path: FetchedFile.name(of: url))
    let result = try transfer.fetch(
      item, to: file, partialsBeside: FetchedFile.partials(of: item, in: folder.url.deletingLastPathComponent()))
    guard result.isModified else {
      return try FetchReport(
        url: result.url.display, modified: false, name: name, digest: current?.digest
      ).say(json: json)
    }
    try Interruption.shared.check()
    let (name, request) = (name, request)
    let model: StoredModel
    if isTried {
      do {
        let installer = try user.installer(options.device.configuration, options.trials.policy)
        model = try ProgressBar.during("Compiling and trying \(name)") {
          try Interruption.shared.run { try installer.install(file, as: name, request) }
        }
      } catch let error as DeliveryError {
        throw error.naming(url.display, copiedTo: user.store.staging)
      }
    } else {
      model = try ProgressBar.during("Keeping \(name)") {
        try Interruption.shared.run { [store = user.store] in
          try store.add(
            tree: FetchedFile.model(file, in: folder), expected: request.expected, origin: request.origin)
        }
      }
      if request.activates { try user.store.activate(name: name, digest: model.digest) }
    }
    if request.activates { try records.remember(result, from: url, for: destination, digest: model.digest) }
    try FetchReport(
      url: result.url.display, modified: true, bytes: result.size, sha256: result.sha256, path: model.url.path,
      name: request.activates ? name : nil, digest: model.digest
    ).say(json: json)
  }

  private var request: ModelInstaller.Request {
    var request = options.request
    if options.origin == .local { request.origin = .fetched }
    return request
  }
}

/// A fetched file, before it is processed.
enum FetchedFile {
  /// The file name in the URL, if it is valid.
  static func name(of url: URL) -> String {
    let name = url.lastPathComponent
    return InstalledModels.isName(name) && name != ".." ? name : "model"
  }

  /// The path of an item's partial files, the same in every process.
  static func partials(of item: TransferItem, in folder: URL) -> URL {
    let words = item.sha256.map { [$0.lowercased()] } ?? item.mirrors.map(\.placeDigest)
    return folder.appending(path: "fetched-\(FetchRecords.name(for: words))")
  }

  /// The model in a file: the file itself, or the model in an archive, which is unpacked next to it.
  static func model(_ file: URL, in folder: StagingFolder) throws -> URL {
    guard ModelInstaller.isArchive(file) else {
      guard file.pathExtension.lowercased() == "mlmodel" || EncryptedModel.isEncrypted(file) else {
        throw Failure(.data, "\(file.lastPathComponent): expected a .mlmodel or an archive of a model")
      }
      return file
    }
    let unpacked = folder.url.appending(path: ".unpacked", directoryHint: .isDirectory)
    guard mkdir(unpacked.path, 0o700) == 0 else {
      throw Failure(.cannotWrite, "\(unpacked.path): the folder cannot be made: \(String(cString: strerror(errno)))")
    }
    try ArchiveUnpacker.unpack(file, into: unpacked)
    return try UnpackedModel.find(in: unpacked)
  }
}
