import Foundation
import Synchronization
import Testing

@testable import CoreMLRuntime

/// Updates run while other threads predict. These use the model that the updates start from, a model loaded from its
/// folder, and the models passed to the handlers. `tools/check-deep thread` runs this under ThreadSanitizer.
@Suite struct UpdateWhilePredictingTests {
  private static let threads = 3

  private func chances(_ model: MLModel, _ x: [Double]) throws -> [Double] {
    let result = try model.prediction(from: UpdatableNetwork.input(x))
    let entries = try #require(result.featureValue(for: "probabilities")?.dictionaryValue)
    return try ["left", "right"].map { try #require(entries[$0]?.doubleValue) }
  }

  @Test(arguments: [false, true]) func theModelBeforeAnswersAsItDid(isInPipeline: Bool) throws {
    let network = try UpdatableNetwork(labels: ["left", "right"], isInPipeline: isInPipeline)
    let url = network.url
    let model = try MLModel(contentsOf: url)
    let expected = try UpdatableNetwork.points.map { try chances(model, $0.0) }
    let isDone = Mutex(false)
    let rounds = Mutex(Array(repeating: 0, count: Self.threads))
    let begun = DispatchSemaphore(value: 0)
    let failures = Mutex<[String]>([])
    let predictors = DispatchGroup()
    for thread in 0..<Self.threads {
      predictors.enter()
      // Separate threads, because concurrent tests may occupy all threads of the queues.
      Thread.detachNewThread {
        defer { predictors.leave() }
        var round = 0
        while !isDone.withLock({ $0 }) {
          do {
            // One thread loads the folder again each time. The others share the model.
            let own = thread == 0 ? try MLModel(contentsOf: url) : model
            for (point, before) in zip(UpdatableNetwork.points, expected) {
              let found = try chances(own, point.0)
              if found != before {
                failures.withLock {
                  $0.append("thread \(thread), round \(round): \(found) for \(point), expected \(before)")
                }
              }
            }
          } catch { failures.withLock { $0.append("thread \(thread), round \(round): \(error)") } }
          round += 1
          rounds.withLock { [round] in $0[thread] = round }
          if round == 1 { begun.signal() }
        }
      }
    }
    defer {
      isDone.withLock { $0 = true }
      predictors.wait()
    }
    for _ in 0..<Self.threads { begun.wait() }
    // Two concurrent updates of one model on separate threads. Their handlers predict, too.
    let configuration = MLModelConfiguration()
    configuration.parameters = [.epochs: 40, .learningRate: 0.5]
    let seen = Mutex(0)
    let records = [UpdateRecord(), UpdateRecord()]
    let tasks = try records.map { record in
      try MLUpdateTask(
        forModelAt: url, trainingData: UpdatableNetwork.examples(), configuration: configuration,
        progressHandlers: record.handlers([.epochEnd]) { context in
          do { _ = try chances(context.model, [1, 1]) } catch { failures.withLock { $0.append("\(error)") } }
          seen.withLock { $0 += 1 }
        })
    }
    for task in tasks { task.resume() }
    let ends = records.map { $0.wait() }
    for (number, task) in tasks.enumerated() {
      try #require(task.error == nil, "task \(number): \(String(describing: task.error))")
    }
    // The test writes and loads the trained models while the predictions go on.
    let saved = network.folder.appending(path: "Saved.mlmodelc")
    for end in ends {
      try end.model.write(to: saved)
      let loaded = try MLModel(contentsOf: saved)
      for (x, label) in UpdatableNetwork.points {
        #expect(try loaded.prediction(from: UpdatableNetwork.input(x)).featureValue(for: "label")?.stringValue == label)
      }
    }
    isDone.withLock { $0 = true }
    predictors.wait()
    #expect(failures.withLock { $0 } == [])
    #expect(seen.withLock { $0 } == 80)
    #expect(rounds.withLock { $0 }.allSatisfy { $0 > 0 })
    #expect(try UpdatableNetwork.points.map { try chances(model, $0.0) } == expected)
  }
}
