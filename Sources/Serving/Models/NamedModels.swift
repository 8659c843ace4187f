import CoreMLModels
import CoreMLServingInterface
import Foundation

/// The models that a command line names: files, installed models, models of a followed channel.
package struct NamedModels: Sendable {
  private let words: [String]

  package init(_ words: [String]) { self.words = words }

  /// Checks that each word names a model, and that no two have the same name.
  ///
  /// - Throws: `notFound` or `invalidArgument`.
  package func check() throws(ServingError) {
    var names: [String: String] = [:]
    for word in words {
      let source: ModelSource
      do { source = try Self.source(word) } catch { throw ServingError(.notFound, "\(error)") }
      if let other = names.updateValue(word, forKey: source.name) {
        throw ServingError(.invalidArgument, "The models \(other) and \(word) have the same name '\(source.name)'.")
      }
    }
  }

  /// A word whose model has disappeared is left out.
  package var catalog: ModelCatalog {
    let words = words
    return ModelCatalog { words.compactMap { try? Self.source($0) } }
  }

  private static func source(_ word: String) throws -> ModelSource {
    // The source keeps the leases, so each look-up drops those of the one before.
    let leases = ModelLeases()
    let (url, name) = try ModelLookup(leases: leases).find(word)
    return ModelSource(
      name: name ?? url.deletingPathExtension().lastPathComponent, url: url,
      fingerprint: try FileFingerprint(url).text, isNamed: true, leases: leases)
  }
}
