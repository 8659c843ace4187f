import CoreMLBase
import Foundation
import Synchronization

/// Models that switch to a new version atomically, with the interface of Core ML's class. A publisher names the models
/// (`runtime publish collect`). A program sees all models of one deployment or all models of another.
///
/// On Apple's systems the operating system provides collections. Here the module `CoreMLDelivery` registers a channel
/// as their source. Without a registered source, no collection can be accessed.
// Sendable: immutable after initialization
open class MLModelCollection: NSObject, @unchecked Sendable {
  /// One model of a collection.
  // Sendable: immutable after initialization
  open class Entry: NSObject, @unchecked Sendable {
    /// The name of the model within the collection.
    public let modelIdentifier: String
    /// The compiled model. The file stays in place while the collection is accessed.
    public let modelURL: URL

    package init(_ identifier: String, _ url: URL) { (modelIdentifier, modelURL) = (identifier, url) }

    override open func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? Entry else { return false }
      return (modelIdentifier, modelURL) == (other.modelIdentifier, other.modelURL)
    }

    override open var hash: Int { modelIdentifier.hashValue }

    /// The identifier and the path of the model.
    override open var description: String { "\(modelIdentifier) : \(modelURL.path)" }
  }

  /// The publisher's name for the collection.
  public let identifier: String
  /// The models by their identifiers.
  public let entries: [String: Entry]
  /// Changes whenever any model of the collection changes.
  public let deploymentID: String
  /// Objects that keep the model files from being removed.
  private let holds: [any Sendable]

  /// Posted when an accessed collection has switched. The notification's object is the new ``MLModelCollection``.
  public static let didChangeNotification = Notification.Name("MLModelCollectionDidChangeNotification")

  package init(_ identifier: String, entries: [String: Entry], deploymentID: String, holding holds: [any Sendable]) {
    (self.identifier, self.entries, self.deploymentID, self.holds) = (identifier, entries, deploymentID, holds)
  }

  // MARK: access

  private struct Registry {
    var sources: [(source: any ModelCollectionSource, listener: Task<Void, Never>)] = []
    var accessed: [String: MLModelCollection] = [:]
  }

  private static let registry = Mutex(Registry())

  /// Adds a source of collections and listens to its model switches. A source that is registered already is ignored.
  package static func register(source: any ModelCollectionSource) {
    let switches = source.switches()
    let listener = Task { for await model in switches { noteSwitch(of: model) } }
    let isNew = registry.withLock { registry in
      guard !registry.sources.contains(where: { $0.source === source }) else { return false }
      registry.sources.append((source, listener))
      return true
    }
    if !isNew { listener.cancel() }
  }

  /// Removes the sources for which `isMeant` is true, and stops listening to them.
  package static func unregister(where isMeant: (any ModelCollectionSource) -> Bool) {
    registry.withLock { registry in
      for entry in registry.sources where isMeant(entry.source) { entry.listener.cancel() }
      registry.sources.removeAll { isMeant($0.source) }
    }
  }

  /// Calls the handler with the collection. If all models are on disk, the handler is called at once; otherwise after
  /// an update. Newer models are fetched in the background, and ``didChangeNotification`` announces them.
  @discardableResult open class func beginAccessing(
    identifier: String, completionHandler handler: @escaping (Result<MLModelCollection, any Error>) -> Void
  ) -> Progress {
    let progress = Progress(totalUnitCount: 1)
    let handler = UncheckedSendable(handler)
    let task = Task {
      let result: Result<MLModelCollection, any Error>
      do { result = .success(try await beginAccessing(identifier: identifier)) } catch { result = .failure(error) }
      progress.completedUnitCount = 1
      handler.value(result)
    }
    progress.cancellationHandler = { task.cancel() }
    return progress
  }

  /// Returns the collection: at once if all models are on disk, otherwise after an update.
  ///
  /// - Throws: `MLModelError` `modelCollection`.
  open class func beginAccessing(identifier: String) async throws -> MLModelCollection {
    let sources = registry.withLock { $0.sources.map(\.source) }
    var last: any Error = MLModelError(
      .modelCollection, "nothing that is registered has a collection '\(identifier)'",
      underlyingCode: "delivery.not-offered")
    for source in sources {
      do {
        if let collection = try source.collection(identifier) {
          // The newer version arrives in the background. The source reports a failure as an event.
          Task { try? await source.fetch() }
          return accessing(collection)
        }
      } catch { last = error }
    }
    for source in sources {
      do {
        try await source.fetch()
        if let collection = try source.collection(identifier) { return accessing(collection) }
      } catch { last = error }
    }
    throw MLModelError(
      .modelCollection, "the collection '\(identifier)' cannot be accessed: \(last.localizedDescription)",
      underlyingCode: (last as? MLModelError)?.underlyingCode ?? "delivery.not-offered", underlying: last)
  }

  private static func accessing(_ collection: MLModelCollection) -> MLModelCollection {
    registry.withLock { $0.accessed[collection.identifier] = collection }
    return collection
  }

  /// Ends the access to a collection. Its models may be removed once newer ones have proved to work.
  open class func endAccessing(
    identifier: String, completionHandler handler: @escaping (Result<Void, any Error>) -> Void
  ) {
    let known = registry.withLock { $0.accessed.removeValue(forKey: identifier) }
    handler(
      known != nil
        ? .success(())
        : .failure(MLModelError(.modelCollection, "the collection '\(identifier)' is not accessed")))
  }

  /// Ends the access to a collection.
  ///
  /// - Throws: `MLModelError` `modelCollection` if the collection is not accessed.
  open class func endAccessing(identifier: String) async throws {
    try await withCheckedThrowingContinuation { done in
      endAccessing(identifier: identifier) { done.resume(with: $0) }
    }
  }

  private static func noteSwitch(of model: String) {
    let (sources, accessed) = registry.withLock { ($0.sources.map(\.source), $0.accessed) }
    for (identifier, old) in accessed where old.entries[model] != nil {
      guard let new = sources.lazy.compactMap({ try? $0.collection(identifier) }).first,
        new.deploymentID != old.deploymentID
      else { continue }
      let isNewest = registry.withLock { registry in
        guard let now = registry.accessed[identifier], now.deploymentID != new.deploymentID else { return false }
        registry.accessed[identifier] = new
        return true
      }
      if isNewest { NotificationCenter.default.post(name: didChangeNotification, object: new) }
    }
  }
}
