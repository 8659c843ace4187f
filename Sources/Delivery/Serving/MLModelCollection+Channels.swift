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
    do { return try core.loading.collection(identifier) } catch { throw Self.refused(error) }
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
