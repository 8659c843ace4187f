import Foundation

/// The models that a user has installed, each under a name of its own: `NAME.mlmodelc`, `NAME.mlpackage` or `NAME.mlmodel` in one folder.
public struct InstalledModels: Sendable {
  public struct Model: Sendable, Hashable {
    public let name: String
    public let url: URL
  }

  public let directory: URL

  /// What stands for a name when several forms do: the compiled form first, it loads fastest.
  private static let extensions = ["mlmodelc", "mlpackage", "mlmodel"]

  public init(directory: URL) { self.directory = directory }

  /// All installed models, by name. A folder that does not exist holds none.
  public func all() throws -> [Model] {
    let entries: [URL]
    do {
      entries = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
    } catch CocoaError.fileReadNoSuchFile {
      return []
    } catch {
      throw DeliveryError(.unreadable, "the folder of models cannot be listed: \(reason(error))", file: directory.path)
    }
    let names = entries.filter { Self.extensions.contains($0.pathExtension) }.map {
      $0.deletingPathExtension().lastPathComponent
    }
    return Set(names).sorted().compactMap(find)
  }

  /// The model of a name.
  public func model(named name: String) throws -> Model {
    guard Self.isName(name) else {
      throw DeliveryError(.noSuchModel, "'\(name)' cannot be the name of an installed model")
    }
    guard let model = find(name) else {
      throw DeliveryError(.noSuchModel, "no installed model has the name '\(name)'", file: directory.path)
    }
    return model
  }

  /// Whether a model can have the name: one path component, not hidden.
  public static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 200 && !name.hasPrefix(".") && !name.utf8.contains(0) && !name.contains("/")
  }

  private func find(_ name: String) -> Model? {
    guard Self.isName(name) else { return nil }
    return Self.extensions.lazy.map { directory.appending(path: "\(name).\($0)") }
      .first { FileManager.default.fileExists(atPath: $0.path) }
      .map { Model(name: name, url: $0) }
  }
}
