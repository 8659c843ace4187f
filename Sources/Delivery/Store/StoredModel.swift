import Foundation

/// A model in the store: never written again, found by its digest.
public struct StoredModel: Sendable, Hashable {
  /// What the files are.
  public enum Form: String, Sendable, Codable, CaseIterable {
    /// A specification in one file.
    case mlmodel
    /// A package: a folder with `Manifest.json`.
    case mlpackage
    /// A compiled model, which is a folder.
    case mlmodelc
    /// A compiled model in a file of its own form: ``EncryptedModel``.
    case encrypted
  }

  /// Where a model came from, which says whether it can be had again.
  public enum Origin: String, Sendable, Codable {
    /// From a publisher: left out of backups.
    case fetched
    /// From a user's own files.
    case local
    /// Trained on this device: kept in backups, never pruned for room.
    case personal
  }

  /// ``TreeDigest`` of the model.
  public let digest: String
  /// What its files are.
  public let form: Form
  /// Where it came from.
  public let origin: Origin
  /// The name whose record says whether this personalised model is needed; nil for one that is kept whatever records say.
  public let personalOf: String?
  /// The bytes of its files.
  public let size: Int64
  /// When it was put into the store.
  public let added: Date
  /// Where it stands: a file or a folder, as its form has it.
  public let url: URL
}

/// What lies beside a model in its folder of the store.
struct ObjectRecord: Codable, FormattedRecord {
  static let format = 1
  static let fileName = "object.json"

  var format: Int = Self.format
  let form: StoredModel.Form
  let origin: StoredModel.Origin
  var personalOf: String?
  let size: Int64
  let files: Int
  let added: Date
}

extension StoredModel.Form {
  /// The name of a model of the form in its folder of the store.
  var fileName: String { self == .mlmodel ? TreeDigest.fileName : "model.\(rawValue)" }

  /// The form of what stands at a path; told by the contents.
  init(of url: URL) throws {
    var status = stat()
    guard lstat(url.path, &status) == 0 else {
      throw DeliveryError(.unreadable, "the item cannot be examined", at: url, errno: errno)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = EncryptedModel.isEncrypted(url) ? .encrypted : .mlmodel
    case S_IFDIR:
      func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: url.appending(path: name).path) }
      if has("Manifest.json") {
        self = .mlpackage
      } else if ["coremldata.bin", "model.mil", "model.espresso.net"].contains(where: has) {
        self = .mlmodelc
      } else {
        throw DeliveryError(
          .notAModel, "expected a model; the folder is neither a package nor a compiled model", file: url.path)
      }
    default:
      throw DeliveryError(.notAModel, "expected a model, found a link, a pipe or a device", file: url.path)
    }
  }
}
