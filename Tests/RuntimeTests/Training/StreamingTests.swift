import Foundation
import Testing

@testable import CoreMLRuntime

/// A batch provider may be larger than memory: examples are asked for when their mini-batch comes, and none is kept.
@Suite struct StreamingTests {
  private static let batch = 8

  /// Where there are more epochs, what comes before the parameters (a conversion, a scaler) is kept, with the target: the example is not asked
  /// for again, and not kept either.
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
