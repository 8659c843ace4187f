import Foundation
import Testing

@testable import CoreMLRuntime

@Suite struct UpdateTaskTests {
  private let rows = [
    (0.0, 0.0, "near"), (0.1, 0.0, "near"), (0.0, 0.1, "near"), (5, 5, "far"), (5, 6, "far"), (6, 5, "far"),
  ]

  @Test(arguments: [false, true], [false, true])
  func anEmptyClassifierLearnsItsExamples(isTree: Bool, isInPipeline: Bool) throws {
    let model = try NeighborModel(isTree: isTree, isInPipeline: isInPipeline)
    #expect(try NeighborModel.label(MLModel(contentsOf: model.url), 1, 1) == "nothing")
    let record = UpdateRecord()
    let task = try MLUpdateTask(
      forModelAt: model.url, trainingData: NeighborModel.examples(rows), progressHandlers: record.handlers())
    #expect(task.state == .suspended)
    task.resume()
    let end = record.wait()
    #expect(end.task === task && task.state == .completed && task.error == nil)
    #expect(try NeighborModel.label(end.model, 1, 1) == "near" && NeighborModel.label(end.model, 4, 4) == "far")

    let saved = model.folder.appending(path: "Saved.mlmodelc")
    try FileManager.default.createDirectory(at: saved, withIntermediateDirectories: true)
    try end.model.write(to: saved)
    let loaded = try MLModel(contentsOf: saved)
    #expect(try NeighborModel.label(loaded, 1, 1) == "near" && NeighborModel.label(loaded, 4, 4) == "far")
    #expect(loaded.modelDescription.isUpdatable)
    #expect(try NeighborModel.label(MLModel(contentsOf: model.url), 1, 1) == "nothing", "the first model is as it was")
    #expect(record.completions.count == 1)
  }

  @Test func whatWasLearntIsLearntUpon() throws {
    let model = try NeighborModel(Array(rows[..<3]))
    var url = model.url
    for (index, row) in rows[3...].enumerated() {
      let record = UpdateRecord()
      try MLUpdateTask(
        forModelAt: url, trainingData: NeighborModel.examples([row]), progressHandlers: record.handlers([])
      ).resume()
      url = model.folder.appending(path: "\(index).mlmodelc")
      try record.wait().model.write(to: url)
    }
    let learnt = try MLModel(contentsOf: url)
    #expect(try NeighborModel.label(learnt, 5, 5) == "far" && NeighborModel.label(learnt, 0, 0) == "near")
  }

  @Test func theEventsComeInOrderWithTheirFigures() throws {
    let record = UpdateRecord()
    try NeighborModel().task(
      NeighborModel.examples(Array(rows[..<2])), record.handlers()
    ).resume()
    let end = record.wait()
    #expect(record.events == [.trainingBegin, .miniBatchEnd, .miniBatchEnd, .epochEnd])
    #expect(record.metrics.map { $0[.miniBatchIndex] as? Int } == [nil, 0, 1, 1])
    #expect(end.event == [] && end.metrics[.epochIndex] as? Int == 0)
  }

  @Test func theNumberOfNeighborsIsAParameter() throws {
    let model = try NeighborModel([(0, 0, "one"), (1, 0, "two"), (1.1, 0, "two")])
    let configuration = MLModelConfiguration()
    #expect(try NeighborModel.label(MLModel(contentsOf: model.url), 0, 0) == "two")
    configuration.parameters = [.numberOfNeighbors: 1]
    let loaded = try MLModel(contentsOf: model.url, configuration: configuration)
    #expect(try NeighborModel.label(loaded, 0, 0) == "one")
    #expect(try loaded.parameterValue(for: .numberOfNeighbors) as? Int == 1)
    configuration.parameters = [.numberOfNeighbors: 10]
    let error = #expect(throws: MLModelError.self) { try MLModel(contentsOf: model.url, configuration: configuration) }
    #expect(error?.code == .parameters && error?.message.contains("from 1 to 9") == true)
  }

  @Test func whatCannotBeTrainedIsRefusedAtOnce() throws {
    let model = try NeighborModel()
    func refusal(_ url: URL, _ rows: [(Double, Double, String)], _ parameters: [MLParameterKey: Any] = [:])
      -> MLModelError?
    {
      let configuration = MLModelConfiguration()
      configuration.parameters = parameters
      do {
        _ = try MLUpdateTask(
          forModelAt: url, trainingData: NeighborModel.examples(rows), configuration: configuration,
          completionHandler: { _ in })
        return nil
      } catch { return error as? MLModelError }
    }
    #expect(refusal(model.url, [])?.code == .update)
    #expect(refusal(model.folder.appending(path: "Neighbors.mlmodel"), rows)?.message.contains("not compiled") == true)
    #expect(refusal(model.folder.appending(path: "None.mlmodelc"), rows)?.code == .io)
    #expect(refusal(model.url, rows, [.learningRate: 0.1])?.message.contains("no parameter 'learningRate'") == true)
    #expect(refusal(model.url, rows, [.numberOfNeighbors: "three"])?.code == .parameters)
    #expect(refusal(model.url, rows, [.numberOfNeighbors: 2.5])?.code == .parameters)
    #expect(refusal(model.url, rows) == nil)
  }

  static let badExamples: [(features: [String: any Sendable], complaint: String)] = [
    (["x": [1.0, 2.0, 3.0], "label": "far"], "x"), (["x": [1.0, 2.0]], "the label 'label' is missing"),
    (["x": [1.0, 2.0], "label": 3], "the label 'label' is of type"), (["label": "far"], "input 'x' is missing"),
    (["x": [1.0, Double.nan], "label": "far"], "not finite"),
  ]

  private static func feature(_ value: any Sendable) throws -> Any {
    if let numbers = value as? [Double] { return try MLMultiArray(numbers) }
    return value
  }

  @Test(arguments: badExamples)
  func aBadExampleEndsTheTaskInASentence(_ features: [String: any Sendable], _ expected: String) throws {
    let record = UpdateRecord()
    let bad = try MLDictionaryFeatureProvider(
      dictionary: features.mapValues(Self.feature))
    let data = MLArrayBatchProvider(array: [try NeighborModel.example(0, 0, "near"), bad])
    let task = try NeighborModel().task(data, record.handlers())
    task.resume()
    let end = record.wait()
    #expect(task.state == .failed && end.task.error != nil)
    let sentence = (task.error as? MLModelError)?.message ?? ""
    #expect(sentence.contains("example 1") && sentence.contains(expected), "\(sentence)")
    #expect(try NeighborModel.label(end.model, 1, 1) == "nothing", "the model is the one before the training")
  }

  /// Handlers hold contexts, and contexts hold their task.
  @Test func aTaskThatHasEndedKeepsNothing() throws {
    weak var ended: MLUpdateTask?
    do {
      let (model, record) = (try NeighborModel(), UpdateRecord())
      let task = try model.task(try NeighborModel.examples([(1, 1, "near")]), record.handlers([.epochEnd]))
      ended = task
      task.resume()
      _ = record.wait()
    }
    // The task's thread holds it until the thread ends.
    for _ in 0..<12000 where ended != nil { Thread.sleep(forTimeInterval: 0.01) }
    #expect(ended == nil)
  }

  @Test func aTaskCanBeCancelledBeforeAndWhileItRuns() throws {
    let early = UpdateRecord()
    let never = try NeighborModel().task(NeighborModel.examples(rows), early.handlers())
    never.cancel()
    #expect(early.wait().task.error.map { "\($0)".contains("cancelled") } == true)
    #expect(never.state == .failed && early.events.isEmpty)

    let late = UpdateRecord()
    let task = try NeighborModel().task(NeighborModel.examples(rows), late.handlers(.miniBatchEnd) { $0.task.cancel() })
    task.resume()
    task.resume()
    #expect(late.wait().task.state == .failed && late.events.count == 1)
    task.cancel()
    task.resume()
    #expect(task.state == .failed && late.completions.count == 1)
  }

  @Test func aHandlerCanChangeParameters() throws {
    let record = UpdateRecord()
    let task = try NeighborModel().task(
      NeighborModel.examples(rows),
      record.handlers(.trainingBegin) { $0.task.resume(withParameters: [.numberOfNeighbors: 5]) })
    task.resume()
    #expect(record.wait().parameters[.numberOfNeighbors] as? Int == 5)

    let refused = UpdateRecord()
    try NeighborModel().task(
      NeighborModel.examples(rows), refused.handlers([])
    ).resume(withParameters: [.numberOfNeighbors: 99])
    #expect((refused.wait().task.error as? MLModelError)?.code == .parameters)
  }
}
