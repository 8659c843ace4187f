import Foundation

/// Removes fetched models that a channel does not use any more, with their compiled forms.
struct ModelRemoval: Sendable {
  let store: ModelStore
  let cache: CompiledModelCache
  let log: ChannelLog

  /// Removes those of the given models from the store that are not needed under any name.
  func remove(_ digests: [String], of model: String) {
    for digest in digests {
      do {
        guard let stored = try? store.model(digest), stored.origin == .fetched, !store.isPinned(digest) else {
          continue
        }
        guard try store.retention.remove(digest, previous: InstalledVersions.limit) else { continue }
        if [.mlmodel, .mlpackage].contains(stored.form) {
          try cache.removeCompiledModel(for: stored.url, digest: digest)
        }
        log.send(.removed(model: model, tree: digest))
      } catch {
        log.report(error, model: model)
      }
    }
  }
}
