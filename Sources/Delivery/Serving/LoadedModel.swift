import CoreMLRuntime
import Foundation
import Synchronization

/// Which model answers.
public enum ModelVersion: Sendable, Hashable, CustomStringConvertible {
  /// The one that came with the software.
  case baseline
  /// A release that was installed.
  case release(InstalledRelease)
  /// One that was trained on this device.
  case personal(PersonalModel)

  /// The release, where it is one; nil for what came with the software or was trained on this device.
  public var release: InstalledRelease? { if case .release(let release) = self { release } else { nil } }

  /// Its digest; nil for the one that came with the software.
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

/// A model that is loaded, with what keeps its files from being removed. Whoever predicts with it holds it: it goes, and its leases with
/// it, when another has taken its place and the last prediction has ended.
final class LoadedModel: Sendable {
  let model: MLModel
  let version: ModelVersion
  let recorder: HealthRecorder
  private let metrics: DeliveryMetrics.Predictions
  private let leases: [ModelLease]
  private let probation: Mutex<Bool>
  private let hadWorked: Bool
  /// Whether how long predictions take says something of the model.
  private let isTimed: Bool

  /// - Parameters:
  ///   - hadWorked: whether it is known to have given outputs: on this device, or for inputs that came with it.
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

  /// Whether the model has given outputs to somebody.
  var hasWorked: Bool { hadWorked || recorder.counts.predictions > 0 }

  /// Whether the model has yet to prove itself.
  var isOnProbation: Bool {
    get { probation.withLock { $0 } }
    set { probation.withLock { $0 = newValue } }
  }

  /// Whether its files are in use still; they may have been set aside because they were damaged.
  var isCurrent: Bool { leases.allSatisfy(\.isCurrent) }
}

extension ChannelCore {
  /// What of the publisher's may answer for a name, best first: the arm asked for, the current model, earlier ones that have proved
  /// themselves, the one that came with the software. Without that one, earlier ones do that have yet to prove themselves.
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

  /// The best model that loads; a personalised one before the publisher's, unless an arm is asked for.
  ///
  /// - Parameter running: kept when nothing better loads.
  /// - Throws: ``DeliveryError`` `notOffered`, `noWorkingModel`.
  func loadBest(_ model: String, arm: Int? = nil, running: LoadedModel? = nil) throws -> LoadedModel {
    var last: (any Error)?
    let standing = healed([model])
    let personal = arm == nil ? personalised(model, standing).map(ModelVersion.personal) : []
    for version in personal + candidates(model, arm: arm, standing) {
      if let running, running.version == version, running.isCurrent { return running }
      // Processes may have died of it since it was looked at last.
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

  private func load(_ model: String, _ version: ModelVersion) throws -> LoadedModel {
    let book = files.book(of: model)
    let recorder = book.recorder(of: version.tree ?? Self.baseline)
    let (loaded, leases): (MLModel, [ModelLease])
    // A source is compiled anew where its compiled form went: that may end a process as loading may.
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
    return LoadedModel(
      loaded, version, named: model, recorder, leases, isNew: isNew,
      hadWorked: !isNew || book.isTried(tree) || book.counts(of: tree).predictions > 0,
      timesOpenInputs: options.health.timesOpenInputs)
  }

  /// A store that lacks the model, or a load that was told to stop, says nothing of the model.
  private static func outcome(ofLoad error: any Error) -> HealthRecorder.Outcome {
    switch error {
    case is CancellationError: .void
    case let error as DeliveryError: [.doesNotLoad, .trialOutOfMemory].contains(error.code) ? .failed : .void
    default: (error as? MLModelError)?.code == .predictionCancelled ? .void : .failed
    }
  }

  /// A model's files, decrypted where they have to be: what loads them.
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

  /// The compiled form of a version, with leases on it.
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
