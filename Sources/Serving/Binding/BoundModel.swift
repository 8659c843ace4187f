import CoreMLModels
import CoreMLRuntime
import CoreMLServingInterface
import Foundation

/// A loaded Core ML model that predicts from tensors.
// Sendable: immutable; `MLModel` does its own locking.
final class BoundModel: ServableModel {
  let model: MLModel
  let binding: ModelBinding
  let usefulBatch: Int
  let parallelRuns: Int
  /// The outputs whose shape never changes, with that shape. Predictions write them into memory of the answer.
  private let fixedShapes: [String: [Int]]
  private let leases: [ModelLeases]

  /// - Parameter leases: keep the model's files on disk.
  init(
    _ model: MLModel, _ binding: ModelBinding, _ trial: ModelTrial, keeping leases: [ModelLeases] = []
  ) {
    (self.model, self.binding, self.leases) = (model, binding, leases)
    (usefulBatch, parallelRuns, fixedShapes) = (trial.usefulBatch, trial.parallelRuns, trial.fixedShapes)
  }

  func run(_ batch: [PreparedRequest]) throws(ServingError) -> BatchOutcome {
    let start = ContinuousClock.now
    var rows = [Result<[ServingTensor], ServingError>?](repeating: nil, count: batch.count)
    var inputs: [(row: Int, features: any MLFeatureProvider)] = []
    for (row, request) in batch.enumerated() {
      do throws(ServingError) { inputs.append((row, try features(request.request))) } catch {
        rows[row] = .failure(error)
      }
    }
    let bound = ContinuousClock.now
    let (outputs, backings) = try predict(inputs.map(\.features), batch)
    let predicted = ContinuousClock.now
    for ((row, _), features) in zip(inputs, outputs) {
      do throws(ServingError) { rows[row] = .success(try tensors(features, batch[row].request, backings)) } catch {
        rows[row] = .failure(error)
      }
    }
    let lost = ServingError(.failed, "The model returned fewer rows than it was given.")
    let times = RunTimes(
      input: bound - start, inference: predicted - bound, output: ContinuousClock.now - predicted)
    return BatchOutcome(rows: rows.map { $0 ?? .failure(lost) }, times: times)
  }

  private func features(_ request: InferenceRequest) throws(ServingError) -> any MLFeatureProvider {
    var values: [String: MLFeatureValue] = [:]
    for tensor in request.inputs {
      guard let input = binding.input(named: tensor.name) else { continue }
      values[tensor.name] = try input.feature(tensor)
    }
    return try ServingError.converting { try MLDictionaryFeatureProvider(dictionary: values) }
  }

  private func predict(
    _ inputs: [any MLFeatureProvider], _ batch: [PreparedRequest]
  ) throws(ServingError) -> ([any MLFeatureProvider], [String: OutputBacking]) {
    guard let first = inputs.first else { return ([], [:]) }
    return try ServingError.converting {
      if let sequence = batch[0].sequence { return ([try model.prediction(from: first, using: sequence.state)], [:]) }
      guard inputs.count == 1 else {
        let results = try model.predictions(fromBatch: MLArrayBatchProvider(array: inputs))
        return ((0..<results.count).map { results.features(at: $0) }, [:])
      }
      let options = MLPredictionOptions()
      var backings: [String: OutputBacking] = [:]
      for output in binding.requested(batch[0].request) where hasDeclaredShapes(batch[0].request) {
        guard let shape = fixedShapes[output.name], let type = binding.output(named: output.name)?.metadata.type else {
          continue
        }
        let backing = try OutputBacking(shape: shape, type)
        backings[output.name] = backing
        options.outputBackings[output.name] = backing.array
      }
      return ([try model.prediction(from: first, options: options)], backings)
    }
  }

  /// Networks of the rank-5 mapping accept other shapes than the declared ones. Their outputs change with them.
  private func hasDeclaredShapes(_ request: InferenceRequest) -> Bool {
    request.inputs.allSatisfy { tensor in
      guard let input = binding.input(named: tensor.name) else { return false }
      return input.description.type != .multiArray || input.metadata.shape == tensor.shape
    }
  }

  private func tensors(
    _ features: any MLFeatureProvider, _ request: InferenceRequest, _ backings: [String: OutputBacking]
  ) throws(ServingError) -> [ServingTensor] {
    var tensors: [ServingTensor] = []
    for requested in binding.requested(request) {
      guard let output = binding.output(named: requested.name) else { continue }
      guard let value = features.featureValue(for: requested.name) else {
        throw ServingError(.failed, "The model returned no output '\(requested.name)'.")
      }
      tensors.append(try output.tensor(value, requested, backing: backings[requested.name]))
    }
    return tensors
  }
}
