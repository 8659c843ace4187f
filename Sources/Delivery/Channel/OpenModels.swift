import Synchronization

/// The models of a channel that this process has opened. There is one instance of each.
final class OpenModels: Sendable {
  private let models = Mutex<[String: Entry]>([:])

  private struct Entry { weak var model: ManagedModel? }

  /// Returns the only instance of a model in this process. It is recreated after its last strong reference is released.
  func model(_ name: String, open: () throws -> ManagedModel) rethrows -> ManagedModel {
    if let model = models.withLock({ $0[name]?.model }) { return model }
    let opened = try open()
    return models.withLock { models in
      if let model = models[name]?.model { return model }
      models[name] = Entry(model: opened)
      return opened
    }
  }

  /// Lets models pick up the installed state.
  func refresh(_ names: some Sequence<String>) {
    for name in names { models.withLock({ $0[name]?.model })?.refresh() }
  }

  func refreshAll() { refresh(models.withLock { Array($0.keys) }) }
}
