/// When a new model is taken back without being told to, and when it is trusted.
public struct HealthPolicy: Sendable, Hashable {
  /// So many failed loads take a new model back; so many times one that cannot be loaded is installed before it is left alone.
  public var loadFailures = 2
  /// So many failed predictions do.
  public var predictionFailures = 5
  /// So many processes that died while they loaded the model or predicted with it do.
  public var crashes = 3
  /// A median latency of so many times the last good model's does, where all inputs have one size; nil: however slow it is.
  public var latencyFactor: Double? = 10
  /// Up to this median nobody minds, whatever it was before.
  public var latencyFloor: Duration = .milliseconds(10)
  /// A median latency above this does; nil: however slow it is.
  public var latencyLimit: Duration?
  /// Whether latencies count of models whose inputs may be small or large (open shapes, texts, dictionaries), too: whoever sends inputs could
  /// have a good model taken back for them. Only for a program whose inputs are its own.
  public var timesOpenInputs = false
  /// Latencies are compared once there are so many of the new model, and of the good one.
  public var latencySamples = 50
  /// A new model has proved itself after so many good predictions...
  public var provingPredictions = 100
  /// ...and so long after it was switched to.
  public var provingTime: Duration = .seconds(3600)

  /// The defaults that each property states.
  public init() {}
}

/// Why a device left a model. The codes are stable: publishers count by them.
public enum RollbackReason: String, Sendable, Codable, CaseIterable {
  /// It could not be loaded, too often.
  case loadFailures = "health.load-failures"
  /// Its predictions failed, too often.
  case predictionFailures = "health.prediction-failures"
  /// Its predictions took too long.
  case latency = "health.latency"
  /// Processes died while they used it.
  case crashLoop = "health.crash-loop"
  /// It cannot be compiled or loaded on this device; it was never switched to.
  case doesNotLoad = "install.does-not-load"
  /// It cannot predict what came with it; it was never switched to.
  case doesNotPredict = "install.does-not-predict"
  /// It gives other outputs than its publisher states; it was never switched to.
  case failsSmokeTest = "install.fails-smoke-test"
  /// It ended the process that tried it; it was never switched to.
  case crashed = "install.crashed"
  /// It was not compiled, loaded and tried in the time allowed; it was never switched to.
  case timedOut = "install.timed-out"
  /// It needs more memory than its trial may have; it was never switched to.
  case outOfMemory = "install.out-of-memory"
  /// It takes other inputs, or gives other outputs, than the model before it; it was never switched to.
  case otherInterface = "install.other-interface"
  /// Somebody at this device asked for it.
  case byHand = "asked.by-hand"
  /// The publisher took it back, blocked it, or switched the model off.
  case withdrawn = "publisher.withdrawn"
}

extension HealthPolicy {
  /// What takes a model with such counts back; nil where nothing does.
  ///
  /// - Parameter good: the counts of the model that was good before.
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

  /// Whether a model with such counts has proved itself.
  func isProof(_ counts: HealthCounts, since activation: Timestamp, now: Timestamp) -> Bool {
    let elapsed = Duration.seconds(now.seconds - activation.seconds)
    // A clock that was far ahead then says nothing of how long ago that is.
    let isUnknown = elapsed < .seconds(-86_400)
    return counts.predictions >= max(provingPredictions, 0) && (elapsed >= provingTime || isUnknown)
  }
}
