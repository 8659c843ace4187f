import CoreMLDelivery
import Foundation

/// Shell completions for a model: names of installed models and model files.
enum ModelCompletion {
  private static let extensions: Set<String> = ["mlmodel", "mlpackage", "mlmodelc"]
  private static let most = 100

  /// Words with this prefix. Errors give no words, as a shell shows no messages.
  static func words(_ prefix: String) -> [String] { files(prefix) + (prefix.contains("/") ? [] : names(prefix)) }

  static func names(_ prefix: String) -> [String] {
    guard let places = try? DeliveryDirectories(), let models = try? InstalledModels(ModelStore(places)).all() else {
      return []
    }
    return models.map(\.name).filter { $0.hasPrefix(prefix) }
  }

  /// Models in the folder, and other folders with their contents. A shell adds a space after a single completion;
  /// several completions with a common beginning avoid this.
  private static func files(_ prefix: String) -> [String] {
    let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
    var words: [String] = []
    for name in entries(folder) where (folder + name).hasPrefix(prefix) {
      let path = folder + name
      if isModel(name) {
        words.append(path)
      } else if isFolder(path) {
        let inside = entries(path).filter { isModel($0) || isFolder("\(path)/\($0)") }.prefix(most)
        words += ["\(path)/"] + inside.map { "\(path)/\($0)" }
      }
      if words.count > most { break }
    }
    return words
  }

  private static func entries(_ folder: String) -> [String] {
    ((try? FileNames.list(folder.isEmpty ? "." : folder)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
  }

  private static func isModel(_ name: String) -> Bool {
    extensions.contains(URL(filePath: name).pathExtension.lowercased())
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }
}
