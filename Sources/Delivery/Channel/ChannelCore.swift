import CoreMLRuntime
import Foundation
import Synchronization

/// The shared state of a channel and of the models opened from it. Nothing in this class uses the network.
final class ChannelCore: Sendable {
  let options: ChannelOptions
  let repository: String
  let files: ChannelFiles
  let store: ModelStore
  let cache: CompiledModelCache
  let installer: ModelInstaller
  let events = ChannelEvents()
  private let opened = Mutex<[String: Opened]>([:])
  /// Faulty releases that stay in use for lack of a replacement and that this process has reported already.
  let kept = Mutex<Set<String>>([])

  private struct Opened { weak var model: ManagedModel? }

  init(_ options: ChannelOptions) throws {
    let root = try TrustRoot(trusting: options.root)
    guard ReleaseName.isValid(options.channel) else {
      throw DeliveryError(.mixAndMatch, "'\(options.channel.prefix(64))' cannot be the name of a channel")
    }
    self.options = options
    repository = root.repository
    files = ChannelFiles(options.places, repository: root.repository, channel: options.channel)
    store = ModelStore(options.places)
    cache = CompiledModelCache(
      directory: options.places.compiledModels, runtimeVersion: options.runtimeVersion, build: options.build)
    installer = ModelInstaller(
      store: store, cache: cache, trials: options.trials, configuration: options.configuration)
  }

  func device() throws -> TargetDevice {
    if let device = options.device { return device }
    return .this(
      id: try DeviceID.of(options.places), runtimeVersion: options.runtimeVersion,
      configuration: options.configuration())
  }

  /// Returns the installed state on disk. An unreadable one is reported and treated as empty, so that the baselines are
  /// used.
  func standing() -> InstalledState {
    do { return try files.standing() } catch {
      tell(error, model: nil)
      return InstalledState()
    }
  }

  // MARK: opened models

  /// Returns the only instance of a model in this process. It is recreated after its last strong reference is released.
  func managed(_ name: String) throws -> ManagedModel {
    if let model = opened.withLock({ $0[name]?.model }) { return model }
    let made = try ManagedModel(name, self)
    return opened.withLock { opened in
      if let model = opened[name]?.model { return model }
      opened[name] = Opened(model: made)
      return made
    }
  }

  /// Lets the opened models pick up the installed state.
  func refresh(_ names: some Sequence<String>) {
    for name in names { opened.withLock({ $0[name]?.model })?.refresh() }
  }

  func refreshAll() { refresh(opened.withLock { Array($0.keys) }) }

  // MARK: reporting

  func tell(_ error: any Error, model: String?) {
    let error = (error as? DeliveryError).map { $0.naming(model ?? "a model", copiedTo: store.staging) } ?? error
    let code = (error as? DeliveryError)?.code ?? DeliveryError.Code(rawValue: "delivery.failed")
    events.tell(.failed(model: model, reason: code, message: "\(error)"))
  }
}
