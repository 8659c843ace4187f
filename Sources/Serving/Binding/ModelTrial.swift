import CoreMLBase
import CoreMLRuntime
import Foundation

/// What a trial of a model found out before the model answers requests.
struct ModelTrial: Sendable {
  /// The seconds of a run of one row; nil if the model could not be tried.
  var runSeconds: Double?
  /// The rows of one run with the best throughput.
  var usefulBatch = 1
  /// The runs at the same time with the best throughput.
  var parallelRuns = 1
  /// The shapes of the outputs that no request changes, by name.
  var fixedShapes: [String: [Int]] = [:]

  /// The rows of a run that are tried.
  private static let sizes = [2, 4, 8]
  /// A larger batch must raise the throughput by this factor, since it also delays the first row.
  private static let leastGain = 1.15

  /// Predicts from zeros: once to prepare the model, then to measure it.
  ///
  /// A model that rejects zeros is served all the same, without a measurement. Errors of the model itself are thrown.
  init(_ model: MLModel, _ binding: ModelBinding) throws {
    guard let sample = try? SampleFeatures.features(binding) else { return }
    let first: any MLFeatureProvider
    do { first = try model.predictionFromFreshState(from: sample) } catch let error as MLModelError {
      switch error.cause {
      case .inputs, .other: return
      case .memory, .device, .cancelled, .overTime, .unsupported, .model, .files: throw error
      }
    }
    fixedShapes = Self.fixedShapes(first, binding)
    let seconds = try Self.seconds { _ = try model.predictionFromFreshState(from: sample) }
    runSeconds = seconds
    parallelRuns = Self.parallelRuns(model, sample, seconds)
    guard !binding.isStateful else { return }
    try measureBatches(model, sample, seconds)
  }

  private mutating func measureBatches(_ model: MLModel, _ sample: any MLFeatureProvider, _ seconds: Double) throws {
    var budget = min(max(0.25, 10 * seconds), 2)
    var best = seconds
    for size in Self.sizes {
      // Two runs: the first prepares the model for the batch.
      let expected = 2 * Double(size) * best
      guard expected < budget else { return }
      budget -= expected
      let batch = MLArrayBatchProvider(array: Array(repeating: sample, count: size))
      _ = try model.predictions(fromBatch: batch)
      let row = try Self.seconds { _ = try model.predictions(fromBatch: batch) } / Double(size)
      guard row * Self.leastGain < best else { return }
      (best, usefulBatch) = (row, size)
    }
  }

  /// As many runs as there are processors if they help almost in proportion; 1 if they do not.
  ///
  /// Runs of large models use all processors, so that several at a time only delay each other.
  private static func parallelRuns(_ model: MLModel, _ sample: any MLFeatureProvider, _ seconds: Double) -> Int {
    let processors = ProcessInfo.processInfo.activeProcessorCount
    guard processors > 1, seconds < 0.1 else { return 1 }
    let runs = max(2, min(Int(0.005 / seconds), 100))
    // Sendable: samples are only read.
    nonisolated(unsafe) let sample = sample
    let start = ContinuousClock.now
    DispatchQueue.concurrentPerform(iterations: processors) { _ in
      for _ in 0..<runs { _ = try? model.predictionFromFreshState(from: sample) }
    }
    let together = (ContinuousClock.now - start).inSeconds
    let gain = seconds * Double(runs * processors) / max(together, 1e-9)
    return gain > 0.7 * Double(processors) ? processors : 1
  }

  /// The least of several runs, as many as fit in 5 ms.
  private static func seconds(_ body: () throws -> Void) throws -> Double {
    var least = Double.infinity
    let end = ContinuousClock.now + .milliseconds(5)
    repeat {
      let start = ContinuousClock.now
      try body()
      least = min(least, (ContinuousClock.now - start).inSeconds)
    } while ContinuousClock.now < end
    return least
  }

  /// Output shapes are fixed if all inputs have one shape, and the declared shape is the one that was found.
  private static func fixedShapes(_ features: any MLFeatureProvider, _ binding: ModelBinding) -> [String: [Int]] {
    guard binding.inputs.allSatisfy({ !$0.metadata.shape.contains(-1) }) else { return [:] }
    var shapes: [String: [Int]] = [:]
    for output in binding.outputs {
      guard let array = features.featureValue(for: output.name)?.multiArrayValue,
        let type = output.description.multiArrayConstraint?.dataType, type == array.dataType
      else { continue }
      let shape = array.shape.map(\.intValue)
      if shape == output.metadata.shape { shapes[output.name] = shape }
    }
    return shapes
  }
}
