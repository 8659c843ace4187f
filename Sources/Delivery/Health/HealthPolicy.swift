/// The criteria for rolling back a new model automatically, and for proving it.
public struct HealthPolicy: Sendable, Hashable {
  /// The number of failed loads that cause a rollback. A model that fails its trial this often is blocked.
  public var loadFailures = 2
  /// The number of failed predictions that cause a rollback.
  public var predictionFailures = 5
  /// The number of processes that died while loading or using the model that cause a rollback.
  public var crashes = 3
  /// The ratio of the median latency to that of the last good model that causes a rollback; nil for no limit. Only for
  /// models with fixed input sizes.
  public var latencyFactor: Double? = 10
  /// Median latencies up to this value never cause a rollback by ``latencyFactor``.
  public var latencyFloor: Duration = .milliseconds(10)
  /// The median latency above which a rollback occurs; nil for no limit.
  public var latencyLimit: Duration?
  /// Whether latencies also count for models with variable input sizes (flexible shapes, strings, dictionaries). A
  /// sender of large inputs could then cause the rollback of a good model. Enable it only for programs that control
  /// their inputs.
  public var timesOpenInputs = false
  /// The minimum number of latency samples, of both the new and the good model, for a comparison.
  public var latencySamples = 50
  /// The number of successful predictions needed to prove a new model.
  public var provingPredictions = 100
  /// The minimum time since the switch to prove a new model.
  public var provingTime: Duration = .seconds(3600)

  /// Creates a policy with the defaults.
  public init() {}
}

/// Why a device left a model. The raw values are stable, because publishers aggregate by them.
public enum RollbackReason: String, Sendable, Codable, CaseIterable {
  /// Too many loads failed.
  case loadFailures = "health.load-failures"
  /// Too many predictions failed.
  case predictionFailures = "health.prediction-failures"
  /// Predictions were too slow.
  case latency = "health.latency"
  /// Processes died while they used the model.
  case crashLoop = "health.crash-loop"
  /// The model cannot be compiled or loaded on this device; it was never in use.
  case doesNotLoad = "install.does-not-load"
  /// The model cannot predict its golden inputs; it was never in use.
  case doesNotPredict = "install.does-not-predict"
  /// The model's outputs differ from its golden outputs; it was never in use.
  case failsSmokeTest = "install.fails-smoke-test"
  /// The model crashed the process of its trial; it was never in use.
  case crashed = "install.crashed"
  /// The trial exceeded its time limit; the model was never in use.
  case timedOut = "install.timed-out"
  /// The trial exceeded its memory limit; the model was never in use.
  case outOfMemory = "install.out-of-memory"
  /// The model's interface is incompatible with its predecessor; it was never in use.
  case otherInterface = "install.other-interface"
  /// A user of this device requested the rollback.
  case byHand = "asked.by-hand"
  /// The publisher withdrew it, blocked it or used a kill switch.
  case withdrawn = "publisher.withdrawn"
}

extension HealthPolicy {
  /// Returns the reason to roll back a model with these counts; nil if there is none.
  ///
  /// - Parameter good: the counts of the last good model.
  func fault(of counts: HealthCounts, comparedWith good: HealthCounts?) -> RollbackReason? {
    if counts.crashes >= max(crashes, 1) { return .crashLoop }
    if counts.loadFailures >= max(loadFailures, 1) { return .loadFailures }
    if counts.predictionFailures >= max(predictionFailures, 1) { return .predictionFailures }
    guard counts.latencies.count >= max(latencySamples, 1), let median = counts.latencies.median else { return nil }
    if let latencyLimit, median > latencyLimit { return .latency }
    if let latencyFactor, let good, good.latencies.count >= max(latencySamples, 1), let before = good.latencies.median,
      median > before * latencyFactor, median > latencyFloor
    {
      return .latency
    }
    return nil
  }

  /// Returns whether these counts prove a model.
  func isProof(_ counts: HealthCounts, since activation: Timestamp, now: Timestamp) -> Bool {
    let elapsed = Duration.seconds(now.seconds - activation.seconds)
    // If the activation is more than a day in the future, the clock was wrong then, and the elapsed time is unknown.
    let isUnknown = elapsed < .seconds(-86_400)
    return counts.predictions >= max(provingPredictions, 0) && (elapsed >= provingTime || isUnknown)
  }
}
