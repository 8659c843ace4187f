import CoreMLBase
import CoreMLSpec
import Foundation

/// The models that a user has installed, by name. A name refers to a version in the store, recorded in
/// `NAME.installed`, or to a `NAME.mlmodelc`, `NAME.mlpackage` or `NAME.mlmodel` that the user put into the folder of
/// models.
public struct InstalledModels: Sendable {
  /// The model of a name.
  public struct Model: Sendable, Hashable {
    /// The name that it is installed under.
    public let name: String
    /// The path of the model, in the store or in the folder of models.
    public let url: URL
    /// The version in the store; nil for a model that the user put into the folder of models.
    public let stored: StoredModel?
  }

  /// The store of the versions.
  public let store: ModelStore
  private var directory: URL { store.places.models }

  /// The extensions in order of preference. Compiled models load fastest.
  private static let extensions = ["mlmodelc", "mlpackage", "mlmodel"]

  /// Creates the list of the models installed in a store's directories.
  public init(_ store: ModelStore) { self.store = store }

  /// Returns all installed models, sorted by name; empty if the folder does not exist. Names whose version or record is
  /// missing or unusable are omitted.
  ///
  /// - Parameter tell: called for each unusable model with the error, except for missing versions.
  /// - Throws: ``DeliveryError`` if the folder itself cannot be used.
  public func all(_ tell: (String, DeliveryError) -> Void = { _, _ in }) throws -> [Model] {
    try FileTrust.process.require(folder: directory, followingLink: true)
    let files = try StoreObjects.names(in: directory).map { URL(filePath: $0) }
      .filter { Self.extensions.contains($0.pathExtension) }.map { $0.deletingPathExtension().lastPathComponent }
    return try Set(files).union(store.activeNames()).sorted().compactMap { name in
      do { return try find(name) } catch let error as DeliveryError {
        if error.code != .notInStore { tell(name, error) }
        return nil
      }
    }
  }

  /// Returns the model of a name.
  ///
  /// - Throws: ``DeliveryError`` `noSuchModel`; `notInStore` if the store does not contain it any more.
  public func model(named name: String) throws -> Model {
    guard Self.isName(name) else {
      throw DeliveryError(.noSuchModel, "'\(name)' cannot be the name of an installed model")
    }
    guard let model = try find(name) else {
      throw DeliveryError(.noSuchModel, "no installed model has the name '\(name)'", file: directory.path)
    }
    return model
  }

  /// Removes a name. A version in the store remains until it is pruned; a model in the folder of models is deleted.
  public func remove(named name: String) throws {
    let model = try model(named: name)
    guard model.stored == nil else { return try store.remove(name: name) }
    try FolderReplacement.discard(model.url, through: store.staging)
  }

  /// Returns whether a model can have this name: a single path component that is not hidden.
  public static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 200 && !name.hasPrefix(".") && !name.utf8.contains(0) && !name.contains("/")
  }

  private func find(_ name: String) throws -> Model? {
    guard Self.isName(name) else { return nil }
    try FileTrust.process.require(folder: directory, followingLink: true)
    if let stored = try store.active(name: name) { return Model(name: name, url: stored.url, stored: stored) }
    return Self.extensions.lazy.map { directory.appending(path: "\(name).\($0)") }
      .first { FileManager.default.fileExists(atPath: $0.path) }
      .map { Model(name: name, url: $0, stored: nil) }
  }
}
