import Foundation

/// An immutable model in the store, identified by its digest.
public struct StoredModel: Sendable, Hashable {
  /// The format of the files.
  public enum Form: String, Sendable, Codable, CaseIterable {
    /// A specification in one file.
    case mlmodel
    /// A package: a folder that contains `Manifest.json`.
    case mlpackage
    /// A compiled model, stored as a folder.
    case mlmodelc
    /// An encrypted compiled model in a single file: ``EncryptedModel``.
    case encrypted
  }

  /// The origin of a model, which determines whether it can be obtained again.
  public enum Origin: String, Sendable, Codable {
    /// Fetched from a publisher; excluded from backups.
    case fetched
    /// Installed from a user's own files.
    case local
    /// Trained on this device; included in backups and never pruned to make room.
    case personal
  }

  /// The tree digest of the model (``TreeDigest``).
  public let digest: String
  /// The format of its files.
  public let form: Form
  /// The origin of the model.
  public let origin: Origin
  /// The name whose record determines whether this personalised model is needed; nil for a model that is always kept.
  public let personalOf: String?
  /// The size of its files in bytes.
  public let size: Int64
  /// When it was added to the store.
  public let added: Date
  /// The path of the model: a file or a folder, depending on its form.
  public let url: URL
}

/// The record stored with a model in its folder of the store.
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
  /// The file name of a model of this form in its folder of the store.
  var fileName: String { self == .mlmodel ? TreeDigest.fileName : "model.\(rawValue)" }

  /// Detects the form of the item at a path from its contents.
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
