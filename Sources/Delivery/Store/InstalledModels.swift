import CoreMLBase
import CoreMLSpec
import Foundation

/// The models that a user has installed, each under a name of its own: a version in the store, which `NAME.installed` tells, or
/// `NAME.mlmodelc`, `NAME.mlpackage` or `NAME.mlmodel`, put into the folder of models by hand.
public struct InstalledModels: Sendable {
  /// A model that a name stands for.
  public struct Model: Sendable, Hashable {
    /// The name that it is installed under.
    public let name: String
    /// Its files: in the store, or in the folder of models.
    public let url: URL
    /// The version in the store that the name stands for; nil for a model that was put there by hand.
    public let stored: StoredModel?
  }

  /// The store that holds the versions which names stand for.
  public let store: ModelStore
  private var directory: URL { store.places.models }

  /// What stands for a name when several forms do: the compiled form first, it loads fastest.
  private static let extensions = ["mlmodelc", "mlpackage", "mlmodel"]

  /// The models that are installed in a store's places.
  public init(_ store: ModelStore) { self.store = store }

  /// All installed models, by name. A folder that does not exist holds none. A name whose version is missing is left out; so is one whose
  /// version or record cannot be used.
  ///
  /// - Parameter tell: told of what cannot be used, and why: the others are listed all the same.
  /// - Throws: ``DeliveryError`` when the folder itself cannot be used.
  public func all(_ tell: (String, DeliveryError) -> Void = { _, _ in }) throws -> [Model] {
    try FileTrust.process.require(folder: directory, followingLink: true)
    let files = try store.names(in: directory).map { URL(filePath: $0) }
      .filter { Self.extensions.contains($0.pathExtension) }.map { $0.deletingPathExtension().lastPathComponent }
    return try Set(files).union(store.activeNames()).sorted().compactMap { name in
      do { return try find(name) } catch let error as DeliveryError {
        if error.code != .notInStore { tell(name, error) }
        return nil
      }
    }
  }

  /// The model of a name.
  ///
  /// - Throws: ``DeliveryError`` `noSuchModel`, `notInStore` when the store has lost it.
  public func model(named name: String) throws -> Model {
    guard Self.isName(name) else {
      throw DeliveryError(.noSuchModel, "'\(name)' cannot be the name of an installed model")
    }
    guard let model = try find(name) else {
      throw DeliveryError(.noSuchModel, "no installed model has the name '\(name)'", file: directory.path)
    }
    return model
  }

  /// Forgets a name: the store's version stays there until it is pruned, a model that was put there by hand goes.
  public func remove(named name: String) throws {
    let model = try model(named: name)
    guard model.stored == nil else { return try store.remove(name: name) }
    try FolderReplacement.discard(model.url, through: store.staging)
  }

  /// Whether a model can have the name: one path component, not hidden.
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
