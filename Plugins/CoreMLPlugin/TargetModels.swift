import Foundation
import PackagePlugin

/// A model among a target's files.
struct TargetModel {
  /// The file, or the folder of a package.
  let url: URL
  /// All files of the model, which the build checks for changes.
  let files: [URL]

  var name: String { url.deletingPathExtension().lastPathComponent }

  /// The name of the model's class: the model's name with underscores for characters that are not allowed in an ASCII
  /// identifier.
  var className: String {
    let parts = name.unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        ? String(scalar) : "_"
    }
    let joined = parts.joined()
    if joined.allSatisfy({ $0 == "_" }) { return "Model\(joined)" }
    return joined.first?.isNumber == true ? "_\(joined)" : joined
  }
}

/// The models among a target's files.
enum TargetModels {
  /// Sorted by path. A package is a folder. Either its files are listed individually in the target, or the folder is a
  /// resource as a whole.
  static func of(_ target: any SourceModuleTarget) -> [TargetModel] {
    var places: Set<URL> = []
    for file in target.sourceFiles {
      if let place = place(of: file.url.standardizedFileURL, in: target.directoryURL) { places.insert(place) }
    }
    return places.sorted { $0.path < $1.path }.map { TargetModel(url: $0, files: files(of: $0)) }
  }

  /// The package that contains a file, or else the file if it is a model.
  private static func place(of file: URL, in folder: URL) -> URL? {
    var place = file
    let top = folder.standardizedFileURL.path
    while place.path.count > top.count, place.path.hasPrefix(top) {
      if place.pathExtension == "mlpackage" { return URL(filePath: place.path) }
      place.deleteLastPathComponent()
    }
    return file.pathExtension == "mlmodel" ? URL(filePath: file.path) : nil
  }

  private static func files(of model: URL) -> [URL] {
    guard model.pathExtension == "mlpackage" else { return [model] }
    let files = FileManager.default.enumerator(at: model, includingPropertiesForKeys: [.isRegularFileKey])
    let regular = (files?.allObjects as? [URL] ?? []).filter {
      (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
    }
    return regular.sorted { $0.path < $1.path }
  }

  /// All compiled models share one folder, and so do all classes.
  static func requireDistinctNames(_ models: [TargetModel]) throws {
    for name in [\TargetModel.name, \TargetModel.className] {
      var seen: [String: TargetModel] = [:]
      for model in models {
        if let other = seen.updateValue(model, forKey: model[keyPath: name]) {
          throw PluginFailure(
            "\(other.url.path) and \(model.url.path) would both be \(model[keyPath: name]): give one of them another name"
          )
        }
      }
    }
  }
}
