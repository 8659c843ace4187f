import CoreMLRuntime
import Metrics

/// Metrics reported through swift-metrics. Names and labels are stable; `docs/internals/delivery.md` lists them.
enum DeliveryMetrics {
  private static func add(_ name: String, _ labels: [(String, String)] = [], _ amount: Int64 = 1) {
    Counter(label: "coreml_delivery_\(name)_total", dimensions: labels).increment(by: amount)
  }

  private static func record(_ name: String, _ labels: [(String, String)] = [], since start: ContinuousClock.Instant) {
    let nanoseconds = Int64(clamping: Int((.now - start) / .nanoseconds(1)))
    Timer(label: "coreml_delivery_\(name)_seconds", dimensions: labels).recordNanoseconds(nanoseconds)
  }

  private static func code(_ error: any Error) -> String {
    switch error {
    case is CancellationError: "cancelled"
    case let error as DeliveryError: error.code.rawValue
    case let error as MLModelError: error.underlyingCode
    default: "delivery.failed"
    }
  }

  // MARK: transfers

  static func count(_ event: TransferEvent) {
    switch event {
    case .restarted(let reason), .retrying(_, let reason, _), .gaveUp(_, let reason):
      add("transfer_events", [("event", event.code), ("reason", reason.rawValue)])
    case .resumed(let bytes):
      add("transfer_events", [("event", event.code)])
      add("transfer_resumed_bytes", [], bytes)
    case .finished(_, let bytes):
      add("transfer_events", [("event", event.code)])
      add("transfer_bytes", [], bytes)
    case .asked, .notModified, .kept: add("transfer_events", [("event", event.code)])
    }
  }

  static func transfer(_ body: () async throws -> TransferResult) async throws -> TransferResult {
    let start = ContinuousClock.now
    do {
      let result = try await body()
      record("transfer", since: start)
      return result
    } catch {
      add("transfer_failures", [("reason", code(error))])
      throw error
    }
  }

  // MARK: checks and installation

  /// A step that accepts or rejects external data.
  enum Step: String {
    case root, manifest, payload, unpack, install, weights
  }

  /// Runs a step. Counts accepted data with the duration, and rejected data with the reason.
  static func step<Result>(_ step: Step, _ body: () throws -> Result) rethrows -> Result {
    let (start, label) = (ContinuousClock.now, ("step", step.rawValue))
    do {
      let result = try body()
      add("accepted", [label])
      record("step", [label], since: start)
      return result
    } catch {
      add("refused", [label, ("reason", code(error))])
      throw error
    }
  }

  static func found(_ findings: [StoreFinding]) {
    for finding in findings { add("damage_found", [("kind", finding.kind.rawValue)]) }
  }

  // MARK: disks

  static func pruned(_ report: PruneReport) {
    for item in report.removed {
      add("pruned", [("reason", item.reason.rawValue)])
      add("pruned_bytes", [("reason", item.reason.rawValue)], item.bytes)
    }
    if !report.failed.isEmpty { add("prune_failures", [], Int64(report.failed.count)) }
  }

  static func measured(_ usage: StoreUsage) {
    for kind in StoreUsage.Item.Kind.allCases {
      Gauge(label: "coreml_delivery_disk_bytes", dimensions: [("kind", kind.rawValue)]).record(usage.bytes(kind))
    }
  }

  // MARK: channels

  static func count(_ event: ChannelEvent) {
    if case .progress = event { return }
    add("channel_events", [("event", event.code)] + (event.reason.map { [("reason", $0)] } ?? []))
  }

  /// The counters of a loaded model, created once because predictions are frequent.
  struct Predictions: Sendable {
    private let good, failed: Counter
    private let seconds: Timer

    init(of model: String) {
      func counter(_ outcome: String) -> Counter {
        Counter(label: "coreml_delivery_predictions_total", dimensions: [("model", model), ("outcome", outcome)])
      }
      (good, failed) = (counter("good"), counter("failed"))
      seconds = Timer(label: "coreml_delivery_prediction_seconds", dimensions: [("model", model)])
    }

    func count(_ outcome: HealthRecorder.Outcome, _ latency: Duration) {
      switch outcome {
      case .good:
        good.increment()
        seconds.recordNanoseconds(Int64(clamping: Int(latency / .nanoseconds(1))))
      case .failed: failed.increment()
      case .void: return
      }
    }
  }
}
