import CoreMLBase
import CoreMLRuntime
import Foundation

extension MLModelCollection {
  /// Makes the collections of a channel available by their identifiers.
  public static func register(_ channel: ModelChannel) { register(source: channel) }

  /// Unregisters a channel.
  public static func unregister(_ channel: ModelChannel) { unregister { $0 === channel } }
}

extension ModelChannel: ModelCollectionSource {
  package nonisolated func collection(_ identifier: String) throws -> MLModelCollection? {
    do { return try core.collection(identifier) } catch { throw Self.refused(error) }
  }

  package nonisolated func fetch() async throws {
    do { _ = try await update() } catch { throw Self.refused(error) }
  }

  package nonisolated func switches() -> AsyncStream<String> {
    let events = events()
    return AsyncStream { names in
      let task = Task {
        for await event in events {
          if case .switched(let model, _, _) = event { names.yield(model) }
        }
        names.finish()
      }
      names.onTermination = { _ in task.cancel() }
    }
  }

  private static func refused(_ error: any Error) -> MLModelError {
    MLModelError(
      .modelCollection, "\(error)", underlyingCode: (error as? DeliveryError)?.code.rawValue ?? "delivery.not-offered",
      underlying: error)
  }
}

extension ChannelCore {
  /// Returns a collection in its installed state; nil if the channel has no collection with this identifier.
  func collection(_ identifier: String) throws -> MLModelCollection? {
    guard let models = standing().collections[identifier] else { return nil }
    var (entries, leases, sha) = ([String: MLModelCollection.Entry](), [ModelLease](), SHA256Digest())
    // The state is read only once, so that all models belong to one deployment.
    let standing = healed(models)
    for model in models.sorted() {
      guard let version = candidates(model, arm: nil, standing).first else {
        throw DeliveryError(.notOffered, "no model '\(model)' of the collection '\(identifier)' is here")
      }
      let (url, held) = try place(model, version)
      entries[model] = MLModelCollection.Entry(model, url)
      leases += held
      sha.append(field: model)
      sha.append(field: version.release?.tree ?? ChannelCore.baseline)
    }
    return MLModelCollection(identifier, entries: entries, deploymentID: sha.hexadecimal(), holding: leases)
  }
}
