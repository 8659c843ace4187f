import CoreMLBase
import CoreMLServing
import CoreMLServingInterface
import Foundation
import Synchronization

/// A model that sleeps, and whose answer is its request's `value` parameter.
final class SleepingModel: ServableModel {
  let usefulBatch: Int
  let seconds: Double
  /// The number of rows of each run.
  let runs = Mutex<[Int]>([])
  let stopped = Atomic<Int>(0)
  /// The run waits for it if it is not nil.
  private let gate: DispatchSemaphore?

  init(seconds: Double = 0, usefulBatch: Int = 1, gate: DispatchSemaphore? = nil) {
    (self.seconds, self.usefulBatch, self.gate) = (seconds, usefulBatch, gate)
  }

  func run(_ batch: [PreparedRequest]) throws(ServingError) -> BatchOutcome {
    runs.withLock { $0.append(batch.count) }
    gate?.wait()
    let end = ContinuousClock.now + .seconds(seconds * Double(batch.count))
    while ContinuousClock.now < end {
      if Cancellation.current?.isCancelled ?? false {
        stopped.add(1, ordering: .relaxed)
        throw ServingError(.cancelled, "The run was stopped.")
      }
      Thread.sleep(forTimeInterval: min(0.001, seconds))
    }
    if batch.contains(where: { $0.request.parameters["bad"] != nil }) {
      throw ServingError(.invalidArgument, "A row is bad.")
    }
    let rows = try batch.map { request throws(ServingError) in
      [try Self.tensor(request.request.parameters["value"])]
    }
    return BatchOutcome(rows: rows.map { .success($0) }, times: RunTimes(inference: .seconds(seconds)))
  }

  private static func tensor(_ value: ParameterValue?) throws(ServingError) -> ServingTensor {
    guard case .integer(let value)? = value else { throw ServingError(.invalidArgument, "There is no value.") }
    let memory = try TensorMemory(byteCount: 8)
    memory.bytes.storeBytes(of: value, as: Int64.self)
    return ServingTensor(name: "y", type: .int64, shape: [1], content: .elements(memory))
  }

  static func request(
    _ value: Int, bad: Bool = false, deadline: Duration? = nil, bucket: Bucket = Bucket()
  ) -> PreparedRequest {
    var parameters: [String: ParameterValue] = ["value": .integer(Int64(value))]
    if bad { parameters["bad"] = .bool(true) }
    return PreparedRequest(
      InferenceRequest(
        model: "m", inputs: [], deadline: deadline.map { ContinuousClock.now + $0 }, parameters: parameters),
      bucket: bucket)
  }

  static func value(_ answer: ScheduledAnswer) -> Int? {
    guard case .elements(let memory)? = answer.outputs.first?.content else { return nil }
    return Int(memory.bytes.loadUnaligned(as: Int64.self))
  }
}
