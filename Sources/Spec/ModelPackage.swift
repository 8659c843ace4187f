import CoreMLBase

/// A `.mlpackage`: a folder with `Manifest.json`, and with items in `Data`, including the model.
///
/// The model is the item with the identifier `rootModelIdentifier`, whatever its file name. A package may contain any
/// model type. Other items may be absent: a program without weights has an empty folder for them, which archives and
/// version control do not preserve. Symbolic links in a package are followed, since caches of downloaded models consist
/// of them.
package struct ModelPackage: Sendable {
  /// The newest supported manifest format. The minor version is compared too, but not the patch version.
  static let formatVersion = (major: 1, minor: 0)

  package struct Item: Sendable {
    package let identifier: String
    package let name: String
    package let author: String
    package let description: String
    /// Relative to the package's `Data` folder, as in the manifest.
    package let path: String
    /// Whether the file or folder exists.
    package let isPresent: Bool
  }

  package let path: String
  /// Sorted by path.
  package let items: [Item]
  /// The item that is the model.
  package let root: Item
  /// The model. Weights of programs are relative to its folder.
  package let file: ModelFile

  package static func open(_ path: String) throws -> ModelPackage {
    let manifestPath = "\(path)/Manifest.json"
    guard PathKind(of: manifestPath) == .file else {
      throw SpecError(.malformedManifest, "expected a package with a Manifest.json, found none", file: path)
    }
    let manifest = try JSONText.read(Manifest.self, file: manifestPath, .malformedManifest)
    func malformed(_ sentence: String) -> SpecError { SpecError(.malformedManifest, sentence, file: manifestPath) }

    let numbers = manifest.fileFormatVersion.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...3).contains(numbers.count), let major = numbers[0], let minor = numbers.count > 1 ? numbers[1] : 0,
      numbers.allSatisfy({ ($0 ?? -1) >= 0 })
    else {
      throw malformed("expected a fileFormatVersion like 1.0.0, found \(manifest.fileFormatVersion.debugDescription)")
    }
    guard (major, minor) <= (formatVersion.major, formatVersion.minor) else {
      throw SpecError(
        .unsupportedPackageVersion,
        "the package has format \(manifest.fileFormatVersion), and the newest that is read is \(formatVersion.major).\(formatVersion.minor)",
        file: manifestPath)
    }

    let data = "\(path)/Data"
    let items = try manifest.itemInfoEntries.sorted { $0.value.path < $1.value.path }.map { identifier, entry in
      guard let relative = RelativePath(entry.path) else {
        throw malformed(
          "the item \(identifier) has the path \(entry.path.debugDescription), which is not one below Data")
      }
      return Item(
        identifier: identifier, name: entry.name, author: entry.author, description: entry.description,
        path: entry.path,
        isPresent: PathKind(of: relative.below(data)) != .nothing)
    }
    guard let root = items.first(where: { $0.identifier == manifest.rootModelIdentifier }) else {
      throw malformed("rootModelIdentifier is \(manifest.rootModelIdentifier.debugDescription), which is no item's")
    }
    guard root.isPresent else {
      throw SpecError(.missingItem, "the package lacks its model, which should be in Data/\(root.path)", file: path)
    }
    return ModelPackage(path: path, items: items, root: root, file: try ModelFile.open("\(data)/\(root.path)"))
  }

  private struct Manifest: Decodable {
    struct Entry: Decodable {
      let path: String
      let name: String
      let author: String
      let description: String
    }

    let fileFormatVersion: String
    let itemInfoEntries: [String: Entry]
    let rootModelIdentifier: String
  }
}
