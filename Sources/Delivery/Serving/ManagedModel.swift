import CoreMLRuntime
import Foundation
import Synchronization

/// A model of a channel in a running program. It is always there: what was trained on this device, what was installed last and is good, or
/// what came with the software.
///
/// When the channel switches, new predictions go to the new model; those that run finish on the old one, whose files stay until then. What
/// is counted here decides whether a new model stays (``HealthPolicy``).
public final class ManagedModel: Sendable {
  /// The name of the model in the channel.
  public let name: String
  private let core: ChannelCore
  private let running: Mutex<LoadedModel>
  private let side = Mutex(SideBySide())
  /// Held while another model is loaded; predictions do not wait for it.
  private let switching = Mutex(())

  private struct SideBySide {
    var experiment: Experiment?
    var arms: [Int: LoadedModel] = [:]
  }

  init(_ name: String, _ core: ChannelCore) throws {
    (self.name, self.core) = (name, core)
    running = Mutex(try core.loadBest(name))
    side.withLock { $0.experiment = core.standing()[name].experiment }
  }

  /// What new predictions go to.
  public var version: ModelVersion { running.withLock { $0.version } }
  /// What the model that answers now takes and gives.
  public var modelDescription: MLModelDescription { running.withLock { $0.model.modelDescription } }
  /// The model that is loaded now. What it predicts by itself is not counted: ``withModel(for:_:)`` counts.
  package var loadedModel: MLModel { running.withLock { $0.model } }

  // MARK: predicting

  /// Predicts with the newest good model.
  ///
  /// - Parameter subject: who it is for, where an experiment runs all its arms side by side: always the same arm for the same words.
  public func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions(), for subject: String? = nil
  ) throws -> any MLFeatureProvider {
    try withModel(for: subject) { model, _ in try model.prediction(from: input, options: options) }
  }

  /// The same without blocking the caller.
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

  /// Gives the model to a closure, as one prediction: what the closure throws counts against the model. So a program that can tell a bad
  /// output takes part in judging a new model.
  public func withModel<Result>(
    for subject: String? = nil, _ body: (MLModel, ModelVersion) throws -> Result
  ) throws -> Result {
    try withModel(for: subject, rows: 1, body)
  }

  /// The same for several predictions in one.
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

  /// Counts a failure that shows later than in the prediction, against the model that is in use now.
  public func reportFailure() {
    let loaded = running.withLock { $0 }
    loaded.recorder.reportFailure()
    judge(loaded)
  }

  /// Which version answers for a subject.
  public func version(for subject: String) -> ModelVersion { loaded(for: subject).version }

  private func outcome(of error: any Error, _ loaded: LoadedModel) -> HealthRecorder.Outcome {
    if error is CancellationError { return .void }
    guard let error = error as? MLModelError else { return .failed }
    // Whoever asks may stop asking; a model that has never answered within the time it is given is another matter.
    if error.code == .predictionCancelled {
      return error.cause == .overTime && !loaded.hasWorked ? .failed : .void
    }
    guard core.options.keepsInterface else { return .failed }
    // The model takes what the one before took: what it refuses, the caller got wrong.
    if error.code == .featureType { return .void }
    // So is an input whose values or shapes this model cannot do anything with, or for whose size there is no memory, as long as it can
    // with others. Otherwise whoever sends inputs could have a good model taken back.
    return loaded.hasWorked && [.inputs, .memory].contains(error.cause) ? .void : .failed
  }

  private func end(
    _ loaded: LoadedModel, _ outcome: HealthRecorder.Outcome, _ start: ContinuousClock.Instant, rows: Int = 1
  ) {
    let before = loaded.recorder.counts.predictions
    loaded.end(outcome, latency: .now - start, rows: rows)
    guard loaded.isOnProbation else { return }
    if let failure = loaded.recorder.takeFailure() { core.tell(failure, model: name) }
    // Good news can wait a little: looking at all counts takes longer than a small model's prediction.
    if outcome == .failed || before / 16 != loaded.recorder.counts.predictions / 16 { judge(loaded) }
  }

  private func judge(_ loaded: LoadedModel) {
    guard loaded.isOnProbation else { return }
    switch core.judge(name, loaded.version) {
    case .stays: return
    case .proven: loaded.isOnProbation = false
    case .rolledBack:
      loaded.isOnProbation = false
      refresh()
    }
  }

  // MARK: switching

  /// Has new predictions go to what the device stands at now. The channel calls this; a program whose other processes update may, too.
  public func refresh() {
    switching.withLock { _ in
      let old = running.withLock { $0 }
      let experiment = core.standing()[name].experiment
      side.withLock { $0 = SideBySide(experiment: experiment) }
      guard let new = try? core.loadBest(name, running: old), new !== old else { return }
      running.withLock { $0 = new }
    }
  }

  private func loaded(for subject: String?) -> LoadedModel {
    guard let subject, let arm = side.withLock({ $0.experiment?.arm(device: subject) }) else {
      return running.withLock { $0 }
    }
    if let loaded = side.withLock({ $0.arms[arm.release] }) { return loaded }
    let current = running.withLock { $0 }
    if current.version.release?.release == arm.release { return current }
    // An arm that does not load leaves its subjects to the current model.
    let loaded = (try? core.loadBest(name, arm: arm.release)) ?? current
    return side.withLock { side in
      if let there = side.arms[arm.release] { return there }
      side.arms[arm.release] = loaded
      return loaded
    }
  }
}
