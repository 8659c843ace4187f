import CoreMLBase
import CoreMLImport
import CoreMLSpec
import Foundation
import MIL

/// The training of an update task: its epochs, mini-batches and current parameters.
// Sendable: the lock guards the parameters; only the task's thread uses the other state
final class UpdateRun: @unchecked Sendable {
  /// The model before the training.
  let original: UpdatedModel
  private let learner: any Learner
  private let data: any MLBatchProvider
  private let configuration: MLModelConfiguration
  /// The limits in force when the task was created.
  private let limits: RuntimeLimits
  private let lock = NSLock()
  private var values: UpdateValues
  private var refusal: (any Error)?

  init(modelAt url: URL, data: any MLBatchProvider, configuration: MLModelConfiguration) throws {
    var model = try MLModelError.wrapping(.io, inputs: .io) { try CompiledModelLoader.load(url.path) }
    guard model.interface.isUpdatable else {
      throw MLModelError(
        .update, "\(url.path): the model is not updatable", underlyingCode: RuntimeError.Code.unsupported.rawValue)
    }
    guard data.count > 0 else {
      throw MLModelError(
        .update, "\(url.path): there are no training examples", underlyingCode: RuntimeError.Code.invalidInput.rawValue)
    }
    self.data = data
    self.configuration = configuration
    limits = try MLModelError.wrapping(.update) { try configuration.limits ?? .inForce() }
    values = UpdateValues(model.interface.updateParameters)
    try values.set(configuration.parameters ?? [:])
    // Training starts with the weights in the configuration.
    for (name, function) in model.program.functions {
      model.program.functions[name] = try function.configured(
        configuration.parameters, allowed: model.interface.updateParameters)
    }
    let before = try UpdatedModel(trained: model, configuration: configuration)
    original = before
    learner = try MLModelError.wrapping(.update) { try Learners.learner(for: model, before) }
  }

  // MARK: parameters

  var parameters: [MLParameterKey: Any] { lock.withLock { values.byKey } }

  /// Changes parameters from the next mini-batch on. A value that the model does not allow ends the training there.
  func change(_ changes: [MLParameterKey: Any]) {
    lock.withLock { do { try values.set(changes) } catch { refusal = refusal ?? error } }
  }

  private func valuesInForce() throws -> UpdateValues {
    try lock.withLock {
      if let refusal { throw refusal }
      return values
    }
  }

  // MARK: training

  /// Runs the training within the model's memory budget and the training time limit. `tell` is called at every event
  /// with the current metrics. The thread's cancellation stops the training.
  func callAsFunction(tell: (MLUpdateProgressEvent, [MLMetricKey: Any]) throws -> Void) throws {
    try original.engine.budget.during { try limits.training { try train(tell) } }
  }

  private func train(_ tell: (MLUpdateProgressEvent, [MLMetricKey: Any]) throws -> Void) throws {
    let cancellation = Cancellation.current
    func inForce() throws -> UpdateValues {
      guard cancellation?.isCancelled != true else { throw RuntimeError(.cancelled, "the update was cancelled") }
      return try valuesInForce()
    }
    _ = try inForce()
    try tell(.trainingBegin, [:])
    var epoch = 0
    while epoch < (try inForce().epochs) {
      let values = try inForce()
      let order = ShuffledOrder.indices(data.count, shuffle: values.shuffle, seed: values.seed, epoch: epoch)
      var (start, batch, loss) = (0, 0, 0.0)
      var figures: [MLMetricKey: Any] = [.epochIndex: NSNumber(value: epoch)]
      while start < order.count {
        let values = try inForce()
        let indices = order[start..<(start + min(order.count - start, values.miniBatchSize))]
        if let mean = try learn(indices, values, epoch: epoch) {
          loss += mean * Double(indices.count)
          figures[.lossValue] = mean
        }
        start += indices.count
        figures[.miniBatchIndex] = NSNumber(value: batch)
        try tell(.miniBatchEnd, figures)
        batch += 1
      }
      if figures[.lossValue] != nil { figures[.lossValue] = loss / Double(order.count) }
      try tell(.epochEnd, figures)
      epoch += 1
    }
    do { try learner.checkFinite() } catch let error as RuntimeError where error.code == .evaluation {
      let rate = try valuesInForce().learningRate
      throw RuntimeError(.evaluation, "\(error.message): the learning rate (\(rate)) may be too large")
    }
  }

  private func learn(_ indices: ArraySlice<Int>, _ values: UpdateValues, epoch: Int) throws -> Double? {
    let loss = try learner.learn(indices, of: data, values)
    if let loss, !loss.isFinite {
      throw RuntimeError(
        .evaluation,
        "the loss is \(loss) in epoch \(epoch): an example may hold NaN or very large numbers, or the learning rate (\(values.learningRate)) "
          + "may be too large")
    }
    return loss
  }

  /// Returns a closure that creates the model with the current parameters on demand.
  func updatedLater() throws -> () throws -> UpdatedModel {
    let (made, configuration) = (try learner.currentLater(), configuration)
    return { try UpdatedModel(trained: made(), configuration: configuration) }
  }

  /// The model with the parameters trained so far.
  func updated() throws -> UpdatedModel { try UpdatedModel(trained: learner.current(), configuration: configuration) }
}

/// Selects the learner of a model.
enum Learners {
  static func learner(for model: ImportedModel, _ loaded: MLModel) throws -> any Learner {
    if let learner = try GradientLearner(model, loaded) { return learner }
    if let learner = try NearestNeighborsLearner(model, loaded) { return learner }
    throw RuntimeError(
      .unsupported,
      "a model of type '\(model.interface.modelType)' cannot be updated: it has no loss and ends in no nearest-neighbor classifier"
    )
  }
}
