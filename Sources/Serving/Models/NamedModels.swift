import CoreMLModels
import CoreMLServingInterface
import Foundation

/// The models that a command line names: files, installed models, models of a followed channel.
package struct NamedModels: Sendable {
  private let words: [String]
  private let leases: ModelLeases

  package init(_ words: [String], leases: ModelLeases) { (self.words, self.leases) = (words, leases) }

  /// Checks that each word names a model, and that no two have the same name.
  ///
  /// - Throws: `notFound` or `invalidArgument`.
  package func check() throws(ServingError) {
    var names: [String: String] = [:]
    for word in words {
      let source: ModelSource
      do { source = try Self.source(word, leases) } catch { throw ServingError(.notFound, "\(error)") }
      if let other = names.updateValue(word, forKey: source.name) {
        throw ServingError(.invalidArgument, "The models \(other) and \(word) have the same name '\(source.name)'.")
      }
    }
  }

  /// A word whose model has disappeared is left out.
  package var catalog: ModelCatalog {
    let (words, leases) = (words, leases)
    return ModelCatalog { words.compactMap { try? Self.source($0, leases) } }
  }

  private static func source(_ word: String, _ leases: ModelLeases) throws -> ModelSource {
    let (url, name) = try ModelLookup(leases: leases).find(word)
    let file = url.deletingPathExtension().lastPathComponent
    return ModelSource(
      name: name ?? file, url: url, fingerprint: try FileFingerprint(url).text, isNamed: true)
  }
}
