import CoreMLRuntime
import Foundation
import Synchronization
import Testing

@testable import CoreMLDelivery

/// Models are switched under a program that predicts continuously.
@Suite struct HotSwapTests {
  let bench: ChannelBench
  private final class End: Sendable { let isOver = Mutex(false) }

  init() throws { bench = try ChannelBench() }

  @Test func predictionsGoOnWhileModelsSwitch() async throws {
    let channel = try bench.channel { $0.health.provingPredictions = 1_000_000 }
    let model = try channel.model("m")
    let end = End()
    let seen = try await withThrowingTaskGroup(of: [Double].self) { group in
      for _ in 0..<4 {
        group.addTask {
          var seen: [Double] = []
          while !end.isOver.withLock({ $0 }) {
            let input = try MLDictionaryFeatureProvider(dictionary: ["x": 1.0])
            let output = try await model.prediction(from: input)
            let value = output.featureValue(for: "y")?.doubleValue ?? .nan
            if seen.last != value { seen.append(value) }
          }
          return seen
        }
      }
      for version in 1...5 {
        try bench.publish(version)
        try await channel.update()
        try await Task.sleep(for: .milliseconds(30))
      }
      end.isOver.withLock { $0 = true }
      return try await group.reduce(into: [[Double]]()) { $0.append($1) }
    }
    let blocked = try channel.status().models.first?.blocked.values.map(\.message)
    #expect(blocked == [])
    for values in seen {
      #expect(values == values.sorted() && values.allSatisfy { (1...6).contains($0) })
      #expect(values.last == 6)
    }
  }

  @Test func aPredictionFinishesOnTheModelThatItBeganWith() async throws {
    let channel = try bench.channel()
    try bench.publish(1)
    try await channel.update()
    let model = try channel.model("m")
    let one = try #require(model.version.release?.tree)
    try bench.publish(2)
    let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    // On a separate thread, because the closure blocks.
    let (answers, answer) = AsyncThrowingStream.makeStream(of: (Int?, Double?).self)
    Thread.detachNewThread {
      do {
        answer.yield(
          try model.withModel { loaded, version in
            begun.signal()
            mayEnd.wait()
            let input = try MLDictionaryFeatureProvider(dictionary: ["x": 1.0])
            return (version.release?.release, try loaded.prediction(from: input).featureValue(for: "y")?.doubleValue)
          })
        answer.finish()
      } catch { answer.finish(throwing: error) }
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        begun.wait()
        continuation.resume()
      }
    }
    try await channel.update()
    for _ in 0..<32 { #expect(try model.one() == 3) }
    #expect(try channel.status().models.first?.isProven == true)
    // The old model is not needed any more, but remains while a prediction uses it.
    await channel.core.sweepNow()
    #expect(try channel.core.store.digests().contains(one))
    mayEnd.signal()
    let (release, value) = try #require(try await answers.first { _ in true })
    #expect(release == 1 && value == 2)
    await channel.core.sweepNow()
    #expect(try !channel.core.store.digests().contains(one))
  }

  @Test func anotherProcessUpdates() async throws {
    let (mine, theirs) = (try bench.channel(), try bench.channel())
    let model = try mine.model("m")
    try bench.publish(1)
    try await theirs.update()
    #expect(try model.one() == 1)
    await mine.refresh()
    #expect(try model.one() == 2)
    // An update by this channel picks the switch up as well and has nothing left to fetch.
    try bench.publish(2)
    try await theirs.update()
    #expect(try await mine.update().switches.isEmpty)
    #expect(try model.one() == 3)
  }

  @Test func manyUpdateAtOnce() async throws {
    try bench.publish(1)
    let channels = try (0..<8).map { _ in try bench.channel() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for channel in channels {
        group.addTask {
          let update = try await channel.update()
          #expect(update.failures.isEmpty)
        }
      }
      try await group.waitForAll()
    }
    for channel in channels { #expect(try channel.model("m").one() == 2) }
    let cache = CompiledModelCache(directory: try bench.places().compiledModels, runtimeVersion: "1.4.0")
    #expect(try channels[0].core.store.verify(cache).isEmpty)
    #expect(channels[0].core.store.orphans(cache).isEmpty)
  }
}

extension ChannelCore {
  /// Sweeps like an update, off the test's thread.
  fileprivate func sweepNow() async { sweep() }
}
