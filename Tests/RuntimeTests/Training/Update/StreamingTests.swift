import Foundation
import Testing

@testable import CoreMLRuntime

/// A batch provider may be larger than memory. The training requests examples when their mini-batch starts, and keeps
/// none.
@Suite struct StreamingTests {
  private static let batch = 8

  /// With more than one epoch, the training keeps the input of the trainable part (after conversion and scaler) and the
  /// target. It does not request the example again, and does not keep it.
  @Test(arguments: [false, true], [1, 3])
  func noMoreExamplesAreThereThanAMiniBatchHas(isInPipeline: Bool, epochs: Int) throws {
    let model = try UpdatableNetwork(labels: ["left", "right"], isInPipeline: isInPipeline)
    let examples = StreamedExamples(200)
    let record = UpdateRecord()
    let configuration = MLModelConfiguration()
    configuration.parameters = [.epochs: epochs, .miniBatchSize: Self.batch]
    let task = try MLUpdateTask(
      forModelAt: model.url, trainingData: examples, configuration: configuration,
      progressHandlers: record.handlers([.epochEnd]))
    task.resume()
    _ = record.wait()
    try #require(task.error == nil, "\(String(describing: task.error))")
    #expect(examples.most <= Self.batch, "\(examples.most) examples were there at once")
    #expect(examples.made == examples.count)
    #expect(examples.alive == 0)
    let losses = record.metrics.compactMap { $0[.lossValue] as? Double }
    #expect(losses.count == epochs && losses.allSatisfy(\.isFinite))
  }

  @Test func nearestNeighborsKeepSamplesAndNoExamples() throws {
    let model = try NeighborModel()
    let examples = StreamedExamples(200)
    let record = UpdateRecord()
    let task = try model.task(examples, record.handlers([]))
    task.resume()
    let end = record.wait()
    try #require(task.error == nil, "\(String(describing: task.error))")
    #expect(examples.most == 1 && examples.made == 200 && examples.alive == 0)
    #expect(try NeighborModel.label(end.model, -2, -0.5) == "left" && NeighborModel.label(end.model, 2, -1) == "right")
  }
}
