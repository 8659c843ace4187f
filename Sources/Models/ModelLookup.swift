import CoreMLDelivery
import Foundation

/// Finds the model that a user names: by path, by the name of an installed model, or as REPOSITORY:CHANNEL:MODEL.
package struct ModelLookup: Sendable {
  private let leases: ModelLeases

  /// - Parameter leases: keeps the lease of each installed model that the lookup finds.
  package init(leases: ModelLeases) { self.leases = leases }

  /// The path of a model, and its name; nil for a model that was named by its path. Uses no network.
  ///
  /// - Throws: ``ModelLookupError``; `DeliveryError` if the store is damaged or cannot be read.
  package func find(_ word: String) throws -> (url: URL, name: String?) {
    if FileManager.default.fileExists(atPath: word) { return (URL(filePath: word).standardizedFileURL, nil) }
    guard !word.contains("/"), InstalledModels.isName(word) else { throw absent(word) }
    let store = ModelStore(try DeliveryDirectories())
    // Opening repairs a damaged record.
    if try store.versions(name: word).active != nil {
      let (current, lease) = try store.open(name: word)
      leases.keep(lease, of: current)
      return (current.url, word)
    }
    if let followed = try FollowedModel(word) { return (try followed.compiled(leases), followed.name) }
    // A word with an extension is a mistyped file name, not the name of a model.
    guard URL(filePath: word).pathExtension.isEmpty else { throw absent(word) }
    do {
      return (try InstalledModels(store).model(named: word).url, word)
    } catch let error as DeliveryError where error.code == .noSuchModel {
      throw ModelLookupError("\(word): expected a model, found neither a file of that name nor an installed model")
    }
  }

  private func absent(_ word: String) -> ModelLookupError {
    ModelLookupError("\(word): expected a model, found no such file or folder")
  }
}

/// No model has the name or the path that a user gave.
package struct ModelLookupError: Error, CustomStringConvertible {
  package let description: String
  init(_ description: String) { self.description = description }
}
