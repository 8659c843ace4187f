import CoreMLBase
import CoreMLRuntime
import Foundation

/// Loads the models of a channel: selects the version that serves a name, and falls back to others if it does not load.
struct ModelLoading: Sendable {
  let records: ChannelRecords
  let cache: CompiledModelCache
  let installer: ModelInstaller
  let rollback: Rollback
  let personal: PersonalVersions
  let probation: Probation
  private var options: ChannelOptions { records.options }

  /// Returns the publisher's models that may serve a name, best first.
  ///
  /// The order is: the requested experiment arm, the current release, earlier proven releases, the baseline. If there
  /// is no baseline, earlier unproven releases are included.
  func candidates(_ model: String, arm: Int?, _ state: InstalledState) -> [ModelVersion] {
    let (entry, health) = (state[model], records.health(of: model))
    var releases = entry.arms.filter { $0.release == arm } + [entry.current].compactMap { $0 }
    if entry.current != nil {
      let isBare = !records.hasBaseline(model)
      releases += entry.earlier.filter { isBare || health.isProven($0.tree) }
    }
    var seen: Set<String> = []
    var candidates = releases.filter {
      seen.insert($0.tree).inserted && records.block(of: $0.tree, model) == nil
    }.map(ModelVersion.release)
    if options.baselines[model] != nil { candidates.append(.baseline) }
    return candidates
  }

  /// Loads the best loadable model. Personalised models precede the publisher's, unless an experiment arm is requested.
  ///
  /// - Parameter running: the loaded model; it is kept if no better one loads.
  /// - Throws: ``DeliveryError`` `notOffered`, `noWorkingModel`.
  func loadBest(_ model: String, arm: Int? = nil, running: ServingModel? = nil) throws -> ServingModel {
    var last: (any Error)?
    let state = rollback.completed([model])
    let trained = arm == nil ? personal.usable(model, state).map(ModelVersion.personal) : []
    for version in trained + candidates(model, arm: arm, state) {
      if let running, running.version == version, running.isCurrent { return running }
      // Other processes may have crashed with this model since its last evaluation.
      if probation.judge(model, version) == .rolledBack { continue }
      do { return try load(model, version) } catch {
        last = error
        let code = (error as? DeliveryError)?.code.rawValue ?? (error as? MLModelError)?.underlyingCode
        records.log.send(
          .loadFailed(model: model, release: version.release?.release, reason: code ?? "delivery.does-not-load"))
        probation.judge(model, version)
      }
    }
    if let running { return running }
    guard let last else {
      throw DeliveryError(
        .notOffered,
        "no model '\(model)' is installed from '\(records.repository):\(options.channel)', and none came with the software"
      )
    }
    throw DeliveryError(.noWorkingModel, "no model '\(model)' can be loaded: \(last)")
  }

  private func load(_ model: String, _ version: ModelVersion) throws -> ServingModel {
    let health = records.health(of: model)
    let key = version.tree ?? ChannelRecords.baseline
    let recorder = health.recorder(of: key)
    let (loaded, leases): (MLModel, [ModelLease])
    // If its compiled form is gone, the model is compiled again. Compilation can crash the process, just as loading
    // can.
    recorder.begin()
    do {
      let (url, held) = try locate(model, version)
      (loaded, leases) = (try opened(url, of: model)(), held)
    } catch {
      recorder.endLoad(Self.outcome(ofLoad: error))
      throw error
    }
    recorder.endLoad(.good)
    if let failure = recorder.takeFailure() { records.log.report(failure, model: model) }
    let isNew = version.tree.map { !health.isProven($0) } ?? false
    return ServingModel(
      loaded, version, named: model, recorder, leases, isNew: isNew,
      hadWorked: !isNew || health.isTried(key) || health.counts(of: key).predictions > 0,
      timesOpenInputs: options.health.timesOpenInputs)
  }

  /// A model missing from the store or a cancelled load is not the model's failure.
  private static func outcome(ofLoad error: any Error) -> HealthRecorder.Outcome {
    switch error {
    case is CancellationError: .void
    case let error as DeliveryError: [.doesNotLoad, .trialOutOfMemory].contains(error.code) ? .failed : .void
    default: (error as? MLModelError)?.code == .predictionCancelled ? .void : .failed
    }
  }

  /// Returns a closure that loads a model's files, which are decrypted first if necessary.
  ///
  /// - Throws: ``DeliveryError`` `noModelKey`, `wrongModelKey`, `tamperedModel`, `truncatedModel`.
  func opened(_ url: URL, of model: String) throws -> () throws -> MLModel {
    let configuration = options.configuration
    guard EncryptedModel.isEncrypted(url) else {
      return { try MLModel(contentsOf: url, configuration: configuration()) }
    }
    guard let key = options.key(of: model) else {
      throw DeliveryError(.noModelKey, "the model '\(model)' is encrypted, and no key was given", file: url.path)
    }
    let files = try EncryptedModel.decrypt(url, key: key.key())
    return { try EncryptedModel.load(files, configuration: configuration()) }
  }

  // MARK: files

  /// Returns the compiled form of a version, with leases on it.
  func locate(_ model: String, _ version: ModelVersion) throws -> (url: URL, leases: [ModelLease]) {
    switch version {
    case .release(let release): return try locate(stored: release.tree)
    case .personal(let personal): return try locate(stored: personal.tree)
    case .baseline:
      guard let url = options.baselines[model] else {
        throw DeliveryError(.notOffered, "no model '\(model)' came with the software")
      }
      guard try [.mlmodel, .mlpackage].contains(StoredModel.Form(of: url)) else { return (url, []) }
      let compiled = try cache.leasedModel(for: url) { try ModelInstaller.compile(url, to: $0) }
      return (compiled.url, [compiled.lease])
    }
  }

  private func locate(stored digest: String) throws -> (url: URL, leases: [ModelLease]) {
    let lease = try records.store.lease(digest)
    let stored = try records.store.model(digest)
    guard let compiled = try installer.compiled(stored) else { return (stored.url, [lease]) }
    return (compiled.url, [lease, compiled.lease])
  }

  /// Returns a collection in its installed state; nil if the channel has no collection with this identifier.
  func collection(_ identifier: String) throws -> MLModelCollection? {
    guard let models = records.installedState().collections[identifier] else { return nil }
    var (entries, leases, sha) = ([String: MLModelCollection.Entry](), [ModelLease](), SHA256Digest())
    // The state is read only once, so that all models belong to one deployment.
    let state = rollback.completed(models)
    for model in models.sorted() {
      guard let version = candidates(model, arm: nil, state).first else {
        throw DeliveryError(.notOffered, "no model '\(model)' of the collection '\(identifier)' is here")
      }
      let (url, held) = try locate(model, version)
      entries[model] = MLModelCollection.Entry(model, url)
      leases += held
      sha.append(field: model)
      sha.append(field: version.release?.tree ?? ChannelRecords.baseline)
    }
    return MLModelCollection(identifier, entries: entries, deploymentID: sha.hexadecimal(), holding: leases)
  }
}
