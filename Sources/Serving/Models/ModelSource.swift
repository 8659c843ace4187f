import CoreMLModels
import CoreMLServingInterface
import Foundation

/// The files of one version of a model.
package struct ModelSource: Sendable {
  /// The name that requests use.
  package var name: String
  package var version: String
  /// A model file, a package, or a compiled folder.
  package var url: URL
  /// Changes with the files.
  package var fingerprint: String
  /// Whether the files are whole. A model that is being copied is not.
  package var isComplete: Bool
  /// Whether the command line names the model.
  package var isNamed: Bool
  /// Keep the files of an installed model on disk.
  package var leases: ModelLeases?

  package init(
    name: String, version: String = "1", url: URL, fingerprint: String, isComplete: Bool = true, isNamed: Bool = false,
    leases: ModelLeases? = nil
  ) {
    self.leases = leases
    (self.name, self.version, self.url, self.fingerprint) = (name, version, url, fingerprint)
    (self.isComplete, self.isNamed) = (isComplete, isNamed)
  }
}

/// Where a server finds its models.
package struct ModelCatalog: Sendable {
  /// All versions of all models that exist now.
  package var sources: @Sendable () -> [ModelSource]

  package init(sources: @escaping @Sendable () -> [ModelSource]) { self.sources = sources }

  /// The models of several catalogs. The first one wins if two have the same name.
  package static func joined(_ catalogs: [ModelCatalog]) -> ModelCatalog {
    ModelCatalog {
      var names: Set<String> = []
      return catalogs.flatMap { catalog in
        let sources = catalog.sources().filter { !names.contains($0.name) }
        names.formUnion(sources.map(\.name))
        return sources
      }
    }
  }
}

/// Opens the models of a source: the model, and one for each of its functions.
package typealias ModelOpening = @Sendable (ModelSource) throws(ServingError) -> [OpenedModel]
