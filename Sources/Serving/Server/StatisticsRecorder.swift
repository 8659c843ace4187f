import CoreMLServingInterface
import Foundation
import Synchronization

/// Counts what happens to one version of a model.
final class StatisticsRecorder: Sendable {
  private let statistics: Mutex<ModelStatistics>

  init(name: String, version: String) { statistics = Mutex(ModelStatistics(name: name, version: version)) }

  /// A run has ended.
  func add(rows: Int, _ times: RunTimes) {
    statistics.withLock { statistics in
      statistics.executionCount += 1
      statistics.batches[rows, default: ModelStatistics.Total()].add(times.inference)
      statistics.inferenceSeconds.add(times.inference.inSeconds)
    }
  }

  /// A request has been answered.
  func add(_ answer: ScheduledAnswer, total: Duration) {
    statistics.withLock { statistics in
      statistics.inferenceCount += 1
      statistics.lastInference = UInt64(max(Date().timeIntervalSince1970, 0) * 1000)
      statistics.success.add(total)
      statistics.queue.add(answer.queued)
      statistics.computeInput.add(answer.times.input)
      statistics.computeInfer.add(answer.times.inference)
      statistics.computeOutput.add(answer.times.output)
      statistics.requestSeconds.add(total.inSeconds)
      statistics.queueSeconds.add(answer.queued.inSeconds)
    }
  }

  /// A request has failed.
  func add(_ error: ServingError, total: Duration) {
    statistics.withLock { statistics in
      statistics.failure.add(total)
      statistics.failures[error.code.rawValue, default: 0] += 1
      statistics.requestSeconds.add(total.inSeconds)
    }
  }

  var current: ModelStatistics { statistics.withLock { $0 } }
}

extension ModelStatistics.Histogram {
  mutating func add(_ value: Double) {
    counts[Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count] += 1
    sum += value
  }
}
