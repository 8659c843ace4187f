import CoreMLRuntime
import Foundation
import Synchronization

/// The identity of a model that serves predictions.
public enum ModelVersion: Sendable, Hashable, CustomStringConvertible {
  /// The model that shipped with the application.
  case baseline
  /// An installed release.
  case release(InstalledRelease)
  /// A model trained on this device.
  case personal(PersonalModel)

  /// The release; nil for a baseline and for a personalised model.
  public var release: InstalledRelease? { if case .release(let release) = self { release } else { nil } }

  /// The tree digest; nil for the baseline.
  package var tree: String? {
    switch self {
    case .baseline: nil
    case .release(let release): release.tree
    case .personal(let model): model.tree
    }
  }

  public var description: String {
    switch self {
    case .baseline: "baseline"
    case .release(let release): "release \(release.release) (\(release.version))"
    case .personal(let model):
      "personalised from \(model.release.map { "release \($0)" } ?? "the one that came with the software")"
    }
  }
}

/// A loaded model with the leases on its files. Running predictions hold a reference to it. After a switch, the last of
/// them releases the model with its leases.
final class ServingModel: Sendable {
  let model: MLModel
  let version: ModelVersion
  let recorder: HealthRecorder
  private let metrics: DeliveryMetrics.Predictions
  private let leases: [ModelLease]
  private let probation: Mutex<Bool>
  private let hadWorked: Bool
  /// Whether prediction latency is a meaningful measure of the model.
  private let isTimed: Bool

  /// - Parameters:
  ///   - hadWorked: whether the model has produced outputs before, on this device or for its golden inputs.
  ///   - timesOpenInputs: ``HealthPolicy/timesOpenInputs``.
  init(
    _ model: MLModel, _ version: ModelVersion, named name: String, _ recorder: HealthRecorder, _ leases: [ModelLease],
    isNew: Bool, hadWorked: Bool, timesOpenInputs: Bool = false
  ) {
    (self.model, self.version, self.recorder, self.leases) = (model, version, recorder, leases)
    self.hadWorked = hadWorked
    isTimed = timesOpenInputs || model.modelDescription.inputsHaveOneSize
    metrics = DeliveryMetrics.Predictions(of: name)
    probation = Mutex(isNew)
  }

  func end(_ outcome: HealthRecorder.Outcome, latency: Duration, rows: Int) {
    recorder.endPrediction(outcome, latency: isTimed ? latency : nil, rows: rows)
    metrics.count(outcome, latency)
  }

  /// Whether the model has ever produced outputs.
  var hasWorked: Bool { hadWorked || recorder.counts.predictions > 0 }

  /// Whether the model is not proven yet.
  var isOnProbation: Bool {
    get { probation.withLock { $0 } }
    set { probation.withLock { $0 = newValue } }
  }

  /// Whether the model's files are still in use. Damaged files may have been set aside.
  var isCurrent: Bool { leases.allSatisfy(\.isCurrent) }
}

extension ChannelCore {
  /// Returns the publisher's models that may serve a name, best first.
  ///
  /// The order is: the requested experiment arm, the current release, earlier proven releases, the baseline. If there
  /// is no baseline, earlier unproven releases are included.
  func candidates(_ model: String, arm: Int?, _ standing: InstalledState) -> [ModelVersion] {
    let (entry, book) = (standing[model], files.book(of: model))
    var releases = entry.arms.filter { $0.release == arm } + [entry.current].compactMap { $0 }
    if entry.current != nil {
      let isBare = !hasBaseline(model)
      releases += entry.earlier.filter { isBare || book.isProven($0.tree) }
    }
    var seen: Set<String> = []
    var candidates = releases.filter {
      seen.insert($0.tree).inserted && book.block(of: $0.tree, runtime: options.runtime) == nil
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
    let standing = healed([model])
    let personal = arm == nil ? personalised(model, standing).map(ModelVersion.personal) : []
    for version in personal + candidates(model, arm: arm, standing) {
      if let running, running.version == version, running.isCurrent { return running }
      // Other processes may have crashed with this model since its last evaluation.
      if judge(model, version) == .rolledBack { continue }
      do { return try load(model, version) } catch {
        last = error
        let code = (error as? DeliveryError)?.code.rawValue ?? (error as? MLModelError)?.underlyingCode
        events.tell(
          .loadFailed(model: model, release: version.release?.release, reason: code ?? "delivery.does-not-load"))
        judge(model, version)
      }
    }
    if let running { return running }
    guard let last else {
      throw DeliveryError(
        .notOffered,
        "no model '\(model)' is installed from '\(repository):\(options.channel)', and none came with the software")
    }
    throw DeliveryError(.noWorkingModel, "no model '\(model)' can be loaded: \(last)")
  }

  private func load(_ model: String, _ version: ModelVersion) throws -> ServingModel {
    let book = files.book(of: model)
    let recorder = book.recorder(of: version.tree ?? Self.baseline)
    let (loaded, leases): (MLModel, [ModelLease])
    // If its compiled form is gone, the model is compiled again. Compilation can crash the process, just as loading
    // can.
    recorder.begin()
    do {
      let (url, held) = try place(model, version)
      (loaded, leases) = (try opened(url, of: model)(), held)
    } catch {
      recorder.endLoad(Self.outcome(ofLoad: error))
      throw error
    }
    recorder.endLoad(.good)
    if let failure = recorder.takeFailure() { tell(failure, model: model) }
    let isNew = version.tree.map { !book.isProven($0) } ?? false
    let tree = version.tree ?? Self.baseline
    return ServingModel(
      loaded, version, named: model, recorder, leases, isNew: isNew,
      hadWorked: !isNew || book.isTried(tree) || book.counts(of: tree).predictions > 0,
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

  /// Returns the compiled form of a version, with leases on it.
  func place(_ model: String, _ version: ModelVersion) throws -> (url: URL, leases: [ModelLease]) {
    switch version {
    case .release(let release): return try place(stored: release.tree)
    case .personal(let personal): return try place(stored: personal.tree)
    case .baseline:
      guard let url = options.baselines[model] else {
        throw DeliveryError(.notOffered, "no model '\(model)' came with the software")
      }
      guard try [.mlmodel, .mlpackage].contains(StoredModel.Form(of: url)) else { return (url, []) }
      let compiled = try cache.leasedModel(for: url) { try ModelInstaller.compile(url, to: $0) }
      return (compiled.url, [compiled.lease])
    }
  }

  private func place(stored tree: String) throws -> (url: URL, leases: [ModelLease]) {
    let lease = try store.lease(tree)
    let stored = try store.model(tree)
    guard let compiled = try installer.compiled(stored) else { return (stored.url, [lease]) }
    return (compiled.url, [lease, compiled.lease])
  }
}
