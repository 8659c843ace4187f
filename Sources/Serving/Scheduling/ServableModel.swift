import CoreMLServingInterface

/// What the scheduler needs of a model.
package protocol ServableModel: Sendable {
  /// The number of rows of one run that gives the best throughput; at least 1.
  var usefulBatch: Int { get }

  /// The number of runs at the same time that gives the best throughput; at least 1. It is 1 for a model whose runs use
  /// all processors.
  var parallelRuns: Int { get }

  /// Predicts the requests of a batch, which have equal buckets, on the calling thread. The thread's current
  /// `Cancellation` stops it.
  ///
  /// - Returns: one result for each request, in order.
  /// - Throws: an error of the run as a whole. The scheduler then runs the requests one by one.
  func run(_ batch: [PreparedRequest]) throws(ServingError) -> BatchOutcome
}

extension ServableModel {
  package var parallelRuns: Int { 1 }
}

/// A request whose names, types and shapes have been checked.
package struct PreparedRequest: Sendable {
  package var request: InferenceRequest
  package var bucket: Bucket
  /// The state that the request reads and changes; nil for a model without states.
  package var sequence: SequenceState?

  package init(_ request: InferenceRequest, bucket: Bucket = Bucket(), sequence: SequenceState? = nil) {
    (self.request, self.bucket, self.sequence) = (request, bucket, sequence)
  }
}

/// Requests with equal buckets may share a run.
package struct Bucket: Hashable, Sendable {
  /// The shapes of the inputs.
  package var shapes: String
  /// The sequence that the request belongs to. Its requests run one by one, in order.
  package var sequence: String?

  package init(shapes: String = "", sequence: String? = nil) { (self.shapes, self.sequence) = (shapes, sequence) }
}

/// How long the parts of a run took.
package struct RunTimes: Sendable, Equatable {
  package var input = Duration.zero
  package var inference = Duration.zero
  package var output = Duration.zero

  package init(input: Duration = .zero, inference: Duration = .zero, output: Duration = .zero) {
    (self.input, self.inference, self.output) = (input, inference, output)
  }

  package var total: Duration { input + inference + output }
}

/// The results of one run.
package struct BatchOutcome: Sendable {
  package var rows: [Result<[ServingTensor], ServingError>]
  package var times: RunTimes

  package init(rows: [Result<[ServingTensor], ServingError>], times: RunTimes = RunTimes()) {
    (self.rows, self.times) = (rows, times)
  }
}

/// The outputs of one request, and what its run was like.
package struct ScheduledAnswer: Sendable {
  package var outputs: [ServingTensor]
  /// The time from admission to the start of the run.
  package var queued: Duration
  package var times: RunTimes
  /// The number of requests that shared the run.
  package var batchSize: Int
}
