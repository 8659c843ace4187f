import CoreML
import CoreMLBase
import CoreMLDelivery
import CoreMLSpec
import Foundation

/// Predicts rows, and lets a signal or a timeout stop them.
final class Predictor: Sendable {
  let model: MLModel
  let statistics: Statistics
  /// Whether a channel counts the outcomes of predictions.
  var isManaged: Bool { managed != nil }
  private let managed: ManagedModel?
  private let limit: TimeLimit

  /// - Parameter managed: The channel's model that `model` belongs to. It counts the outcomes of predictions.
  init(_ model: MLModel, _ managed: ManagedModel? = nil, limit: TimeLimit, statistics: Statistics) {
    (self.model, self.managed) = (model, managed)
    self.limit = limit
    self.statistics = statistics
  }

  func predict(_ features: [String: MLFeatureValue], _ state: PredictionState = .stateless) throws
    -> any MLFeatureProvider
  {
    let input = try MLDictionaryFeatureProvider(dictionary: features)
    let state = UncheckedSendable(state)
    return try timed(rows: 1) { model in UncheckedSendable(try state.value.predict(model, input, MLPredictionOptions()))
    }
  }

  /// Several rows in one batch.
  func predict(_ rows: [[String: MLFeatureValue]]) throws -> [any MLFeatureProvider] {
    let batch = UncheckedSendable(
      MLArrayBatchProvider(array: try rows.map { try MLDictionaryFeatureProvider(dictionary: $0) }))
    let results = try timed(rows: rows.count) { model in
      UncheckedSendable(try model.predictions(from: batch.value, options: MLPredictionOptions()))
    }
    return (0..<results.count).map { results.features(at: $0) }
  }

  private func timed<Value>(
    rows: Int, _ body: @escaping @Sendable (MLModel) throws -> UncheckedSendable<Value>
  ) throws -> Value {
    let watch = Stopwatch()
    defer { statistics.add(watch.seconds, to: .predict, rows: rows) }
    return try limit.run("the prediction") { [model, managed] in
      try managed?.withModel(rows: rows) { model, _ in try body(model) } ?? body(model)
    }
  }
}
