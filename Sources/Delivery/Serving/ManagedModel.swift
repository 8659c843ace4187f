import CoreMLRuntime
import Foundation
import Synchronization

/// A model of a channel in a running program. It serves the best available model: one trained on this device, the
/// newest good release, or the baseline.
///
/// After the channel switches, later predictions use the new model. Running predictions finish on the old one, whose
/// files are kept until then. The outcomes counted here decide whether a new model is kept (``HealthPolicy``).
public final class ManagedModel: Sendable {
  /// The name of the model in the channel.
  public let name: String
  private let core: ChannelCore
  private let running: Mutex<ServingModel>
  private let side = Mutex(SideBySide())
  /// Serializes the loading of another model. Predictions do not wait for it.
  private let switching = Mutex(())

  private struct SideBySide {
    var experiment: Experiment?
    var arms: [Int: ServingModel] = [:]
  }

  init(_ name: String, _ core: ChannelCore) throws {
    (self.name, self.core) = (name, core)
    running = Mutex(try core.loading.loadBest(name))
    side.withLock { $0.experiment = core.records.installedState()[name].experiment }
  }

  /// The version that later predictions use.
  public var version: ModelVersion { running.withLock { $0.version } }
  /// The description of the model in use.
  public var modelDescription: MLModelDescription { running.withLock { $0.model.modelDescription } }
  /// The loaded model. Predictions made directly on it are not counted; use ``withModel(for:_:)`` to count them.
  package var loadedModel: MLModel { running.withLock { $0.model } }

  // MARK: predicting

  /// Predicts with the newest good model.
  ///
  /// - Parameter subject: selects the arm of an experiment whose arms run concurrently. Equal subjects always get the
  ///   same arm.
  public func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions(), for subject: String? = nil
  ) throws -> any MLFeatureProvider {
    try withModel(for: subject) { model, _ in try model.prediction(from: input, options: options) }
  }

  /// Predicts with the newest good model, without blocking the calling thread.
  public func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions(), for subject: String? = nil
  ) async throws -> any MLFeatureProvider {
    let loaded = loaded(for: subject)
    loaded.recorder.begin()
    let start = ContinuousClock.now
    do {
      let output = try await loaded.model.prediction(from: input, options: options)
      end(loaded, .good, start)
      return output
    } catch {
      end(loaded, outcome(of: error, loaded), start)
      throw error
    }
  }

  /// Passes the model to a closure and counts the call as one prediction. An error thrown by the closure counts against
  /// the model, so the program can report bad outputs.
  public func withModel<Result>(
    for subject: String? = nil, _ body: (MLModel, ModelVersion) throws -> Result
  ) throws -> Result {
    try withModel(for: subject, rows: 1, body)
  }

  /// Passes the model to a closure and counts the call as a batch of `rows` predictions.
  package func withModel<Result>(
    for subject: String? = nil, rows: Int, _ body: (MLModel, ModelVersion) throws -> Result
  ) throws -> Result {
    let loaded = loaded(for: subject)
    loaded.recorder.begin()
    let start = ContinuousClock.now
    do {
      let result = try body(loaded.model, loaded.version)
      end(loaded, .good, start, rows: rows)
      return result
    } catch {
      end(loaded, outcome(of: error, loaded), start)
      throw error
    }
  }

  /// Counts a failure found after the prediction against the model currently in use.
  public func reportFailure() {
    let loaded = running.withLock { $0 }
    loaded.recorder.reportFailure()
    judge(loaded)
  }

  /// Returns the version that serves a subject.
  public func version(for subject: String) -> ModelVersion { loaded(for: subject).version }

  private func outcome(of error: any Error, _ loaded: ServingModel) -> HealthRecorder.Outcome {
    if error is CancellationError { return .void }
    guard let error = error as? MLModelError else { return .failed }
    // A caller's cancellation is not the model's failure. A timeout counts if the model has never produced outputs.
    if error.code == .predictionCancelled {
      return error.cause == .overTime && !loaded.hasWorked ? .failed : .void
    }
    guard core.options.keepsInterface else { return .failed }
    // The model accepts the inputs of its predecessor, so a wrong feature type is the caller's error.
    if error.code == .featureType { return .void }
    // Neither is an input that a working model rejects by value or shape, or that exceeds the available memory.
    // Otherwise a caller could cause the rollback of a good model with bad inputs.
    return loaded.hasWorked && [.inputs, .memory].contains(error.cause) ? .void : .failed
  }

  private func end(
    _ loaded: ServingModel, _ outcome: HealthRecorder.Outcome, _ start: ContinuousClock.Instant, rows: Int = 1
  ) {
    let before = loaded.recorder.counts.predictions
    loaded.end(outcome, latency: .now - start, rows: rows)
    guard loaded.isOnProbation else { return }
    if let failure = loaded.recorder.takeFailure() { core.log.report(failure, model: name) }
    // Successes are evaluated only every 16 predictions, because reading all counts takes longer than a small model's
    // prediction.
    if outcome == .failed || before / 16 != loaded.recorder.counts.predictions / 16 { judge(loaded) }
  }

  private func judge(_ loaded: ServingModel) {
    guard loaded.isOnProbation else { return }
    switch core.probation.judge(name, loaded.version) {
    case .stays: return
    case .proven: loaded.isOnProbation = false
    case .rolledBack:
      loaded.isOnProbation = false
      refresh()
    }
  }

  // MARK: switching

  /// Makes later predictions use the installed state. The channel calls this method. A program may call it when other
  /// processes update.
  public func refresh() {
    switching.withLock { _ in
      let old = running.withLock { $0 }
      let experiment = core.records.installedState()[name].experiment
      side.withLock { $0 = SideBySide(experiment: experiment) }
      guard let new = try? core.loading.loadBest(name, running: old), new !== old else { return }
      running.withLock { $0 = new }
    }
  }

  private func loaded(for subject: String?) -> ServingModel {
    guard let subject, let arm = side.withLock({ $0.experiment?.arm(device: subject) }) else {
      return running.withLock { $0 }
    }
    if let loaded = side.withLock({ $0.arms[arm.release] }) { return loaded }
    let current = running.withLock { $0 }
    if current.version.release?.release == arm.release { return current }
    // If an arm does not load, its subjects use the current model.
    let loaded = (try? core.loading.loadBest(name, arm: arm.release)) ?? current
    return side.withLock { side in
      if let there = side.arms[arm.release] { return there }
      side.arms[arm.release] = loaded
      return loaded
    }
  }
}
