import Foundation
import TestModels

@testable import CoreMLImport
@testable import CoreMLRuntime

/// A compiled updatable nearest-neighbor classifier of points in the plane, in its own folder.
final class NeighborModel {
  let folder = FileManager.default.temporaryDirectory.appending(path: "neighbors-\(UUID().uuidString)")
  let url: URL

  /// - Parameters:
  ///   - samples: points and their labels; none for an untrained classifier.
  ///   - isInPipeline: the classifier follows a scaler that doubles both coordinates.
  init(
    _ samples: [(Double, Double, String)] = [], isInverse: Bool = false, isTree: Bool = false,
    isInPipeline: Bool = false
  )
    throws
  {
    let label = FeatureModels.Feature.string("label")
    let outputs = [label, FeatureModels.Feature.dictionary("probabilities")]
    func classifier(_ name: String) -> [UInt8] {
      let input = FeatureModels.Feature.array(name, [2])
      return FeatureModels.model(
        404, [input], outputs, label: "label", probabilities: "probabilities", training: [input, label]
      ) { model in
        model.append(1) { index in
          index.append(1, int: 2)
          for sample in samples { index.append(2) { $0.append(1, packed: [Float(sample.0), Float(sample.1)]) } }
          index.append(isTree ? 110 : 100) { if isTree { $0.append(1, int: 30) } }
          index.append(200) { _ in }
        }
        model.append(3) { parameter in
          parameter.append(1, int: 3)
          parameter.append(10) { range in
            range.append(1, int: 1)
            range.append(2, int: 9)
          }
        }
        model.append(100) { names in for sample in samples { names.append(1, string: sample.2) } }
        model.append(110, string: "nothing")
        model.append(isInverse ? 210 : 200) { _ in }
      }
    }
    let bytes =
      isInPipeline ? FeatureModels.behindDoubler(classifier("scaled"), named: "search", outputs) : classifier("x")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let source = folder.appending(path: "Neighbors.mlmodel")
    try Data(bytes).write(to: source)
    url = try ModelCompiler.compile(source, into: folder)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func task(_ data: any MLBatchProvider, _ handlers: MLUpdateProgressHandlers) throws -> MLUpdateTask {
    try MLUpdateTask(forModelAt: url, trainingData: data, progressHandlers: handlers)
  }

  static func example(_ x: Double, _ y: Double, _ label: Any? = nil) throws -> MLDictionaryFeatureProvider {
    var features: [String: Any] = ["x": try MLMultiArray([x, y])]
    if let label { features["label"] = label }
    return try MLDictionaryFeatureProvider(dictionary: features)
  }

  static func examples(_ rows: [(Double, Double, String)]) throws -> MLArrayBatchProvider {
    MLArrayBatchProvider(array: try rows.map { try example($0.0, $0.1, $0.2) })
  }

  static func label(_ model: MLModel, _ x: Double, _ y: Double) throws -> String? {
    try model.prediction(from: example(x, y)).featureValue(for: "label")?.stringValue
  }
}

/// What a task reported to its handlers. Complete after `wait`.
final class UpdateRecord: @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private(set) var events: [MLUpdateProgressEvent] = []
  private(set) var metrics: [[MLMetricKey: Any]] = []
  private(set) var completions: [MLUpdateContext] = []

  func handlers(
    _ events: MLUpdateProgressEvent = [.trainingBegin, .epochEnd, .miniBatchEnd],
    progress: @escaping (MLUpdateContext) -> Void = { _ in }
  ) -> MLUpdateProgressHandlers {
    MLUpdateProgressHandlers(
      forEvents: events,
      progressHandler: {
        self.events.append($0.event)
        self.metrics.append($0.metrics)
        progress($0)
      },
      completionHandler: {
        self.completions.append($0)
        self.done.signal()
      })
  }

  /// The context of the completion. A task that never ends fails the test by its time limit.
  func wait() -> MLUpdateContext {
    done.wait()
    return completions[0]
  }
}
