/// Settings of the scheduler for all models.
package struct SchedulerSettings: Sendable {
  /// The number of runs at the same time, of models whose runs use all processors. A run of another model takes a part
  /// of a slot.
  package var slots = 1
  /// The most runs at the same time, without the express slot.
  package var maximumRuns = 1
  /// Models whose runs are shorter get a slot of their own when several models are loaded. A long run cannot hold them up.
  package var expressLimit = 0.005
  /// The processor seconds that the round robin gives to each model in one round.
  package var quantum = 0.005
  /// A request waits at most this much longer for each level of priority below that of its rivals.
  package var agingSeconds = 0.1
  /// The priority of requests that give none.
  package var defaultPriority = 2
  /// The requests that may wait for one model, however short its runs are.
  package var maximumDepth = 10_000
  /// Requests to an idle model with shorter runs run on the thread that submits them.
  package var inlineLimit = 0.000_05

  package init() {}
}

/// Settings of the scheduler for one model.
package struct QueueSettings: Sendable {
  /// The longest expected wait that is admitted, in seconds; nil for ten times the median run.
  package var maximumWait: Double?
  /// The share of the processor relative to other models.
  package var weight = 1.0
  /// The seconds of one run, measured when the model was loaded; nil if unknown.
  package var runSeconds: Double?

  package init(maximumWait: Double? = nil, weight: Double = 1, runSeconds: Double? = nil) {
    (self.maximumWait, self.weight, self.runSeconds) = (maximumWait, weight, runSeconds)
  }
}

/// Identifies a loaded model in the scheduler.
package struct ModelKey: Hashable, Sendable {
  let number: UInt64
}

extension Duration {
  /// The duration in seconds.
  package var inSeconds: Double {
    let parts = components
    return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
  }

  /// The duration for people.
  package var milliseconds: String { "\(Int((inSeconds * 1000).rounded())) ms" }
}
