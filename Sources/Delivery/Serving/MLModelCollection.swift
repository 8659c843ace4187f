import CoreMLRuntime
import Foundation
import Synchronization

/// Models of a channel that switch together, in the shape that Core ML gave them: a publisher names them (`runtime publish collect`), and a
/// program sees all of one deployment or all of another.
///
/// Where Apple's systems ask their own service, here a channel is registered first: ``register(_:)``.
public final class MLModelCollection: Sendable {
  /// One model of a collection.
  public final class Entry: Sendable {
    public let modelIdentifier: String
    /// The compiled model; it stays there while the collection is accessed.
    public let modelURL: URL

    init(_ identifier: String, _ url: URL) { (modelIdentifier, modelURL) = (identifier, url) }
  }

  public let identifier: String
  /// By the models' identifiers.
  public let entries: [String: Entry]
  /// Another one whenever any model is another.
  public let deploymentID: String
  private let leases: [ModelLease]

  /// Posted when a collection that is accessed has switched; the object is the new ``MLModelCollection``.
  public static let didChangeNotification = Notification.Name("MLModelCollectionDidChangeNotification")

  init(_ identifier: String, models: [String], _ core: ChannelCore) throws {
    self.identifier = identifier
    var (entries, leases, sha) = ([String: Entry](), [ModelLease](), SHA256())
    // One look at the standing: all models are of one deployment.
    let standing = core.healed(models)
    for model in models.sorted() {
      guard let version = core.candidates(model, arm: nil, standing).first else {
        throw DeliveryError(.notOffered, "no model '\(model)' of the collection '\(identifier)' is here")
      }
      let (url, held) = try core.place(model, version)
      entries[model] = Entry(model, url)
      leases += held
      sha.append(field: model)
      sha.append(field: version.release?.tree ?? ChannelCore.baseline)
    }
    (self.entries, self.leases, deploymentID) = (entries, leases, sha.hexadecimal())
  }

  // MARK: access

  private struct Registry {
    var channels: [(channel: ModelChannel, listener: Task<Void, Never>)] = []
    var accessed: [String: MLModelCollection] = [:]
  }

  private static let registry = Mutex(Registry())

  /// Has the collections of a channel found by their identifiers.
  public static func register(_ channel: ModelChannel) {
    let events = channel.events()
    let listener = Task {
      for await event in events {
        if case .switched(let model, _, _) = event { noteSwitch(of: model) }
      }
    }
    let isNew = registry.withLock { registry in
      guard !registry.channels.contains(where: { $0.channel === channel }) else { return false }
      registry.channels.append((channel, listener))
      return true
    }
    if !isNew { listener.cancel() }
  }

  /// Forgets a channel.
  public static func unregister(_ channel: ModelChannel) {
    registry.withLock { registry in
      for entry in registry.channels where entry.channel === channel { entry.listener.cancel() }
      registry.channels.removeAll { $0.channel === channel }
    }
  }

  /// Calls the handler with the collection: at once with what is here, after an update where something is missing. What the channel
  /// offers beyond that is fetched in the background; ``didChangeNotification`` tells.
  @discardableResult public static func beginAccessing(
    identifier: String, completionHandler handler: @escaping @Sendable (Result<MLModelCollection, any Error>) -> Void
  ) -> Progress {
    let progress = Progress(totalUnitCount: 1)
    let task = Task {
      let result: Result<MLModelCollection, any Error>
      do { result = .success(try await beginAccessing(identifier: identifier)) } catch { result = .failure(error) }
      progress.completedUnitCount = 1
      handler(result)
    }
    progress.cancellationHandler = { task.cancel() }
    return progress
  }

  /// The collection: at once with what is here, after an update where something is missing.
  ///
  /// - Throws: `MLModelError` `modelCollection`.
  public static func beginAccessing(identifier: String) async throws -> MLModelCollection {
    let channels = registry.withLock { $0.channels.map(\.channel) }
    var last: any Error = DeliveryError(.notOffered, "no channel that is registered has a collection '\(identifier)'")
    for channel in channels {
      do {
        if let collection = try channel.core.collection(identifier) {
          // What is newer comes in its own time; that it failed is told as an event.
          Task { _ = try? await channel.update() }
          return accessing(collection)
        }
      } catch { last = error }
    }
    for channel in channels {
      do {
        try await channel.update()
        if let collection = try channel.core.collection(identifier) { return accessing(collection) }
      } catch { last = error }
    }
    throw MLModelError(
      .modelCollection, "the collection '\(identifier)' cannot be accessed: \(last)",
      underlyingCode: (last as? DeliveryError)?.code.rawValue ?? "delivery.not-offered", underlying: last)
  }

  private static func accessing(_ collection: MLModelCollection) -> MLModelCollection {
    registry.withLock { $0.accessed[collection.identifier] = collection }
    return collection
  }

  /// Lets go of a collection: its models may be removed when newer ones have proved themselves.
  public static func endAccessing(
    identifier: String, completionHandler handler: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    let known = registry.withLock { $0.accessed.removeValue(forKey: identifier) }
    handler(
      known != nil
        ? .success(())
        : .failure(MLModelError(.modelCollection, "the collection '\(identifier)' is not accessed")))
  }

  private static func noteSwitch(of model: String) {
    let (channels, accessed) = registry.withLock { ($0.channels.map(\.channel), $0.accessed) }
    for (identifier, old) in accessed where old.entries[model] != nil {
      guard let new = channels.lazy.compactMap({ try? $0.core.collection(identifier) }).first,
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

extension ChannelCore {
  /// A collection as it stands here; nil where the channel is not known to have it.
  func collection(_ identifier: String) throws -> MLModelCollection? {
    guard let models = standing().collections[identifier] else { return nil }
    return try MLModelCollection(identifier, models: models, self)
  }
}
