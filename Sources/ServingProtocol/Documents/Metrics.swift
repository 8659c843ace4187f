import CoreMLServingInterface

/// The metrics of models.
package enum Metrics {
  /// Upper bounds of the histogram of rows in a run.
  static let batchBounds: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256]

  package static func append(
    _ models: [ModelStatistics], _ statuses: [ModelStatus], to text: inout PrometheusText
  ) {
    histogram("request_seconds", "Time from the arrival of a request to its answer.", models, &text) {
      $0.requestSeconds
    }
    histogram("queue_seconds", "Time that a request waited for its run.", models, &text) { $0.queueSeconds }
    histogram("inference_seconds", "Time of a run.", models, &text) { $0.inferenceSeconds }

    text.family("coreml_serving_batch_size", "histogram", "Rows of a run.")
    for model in models {
      var counts = [UInt64](repeating: 0, count: batchBounds.count + 1)
      for (rows, total) in model.batches {
        counts[batchBounds.firstIndex { Double(rows) <= $0 } ?? batchBounds.count] += total.count
      }
      let rows = model.batches.reduce(0.0) { $0 + Double($1.key) * Double($1.value.count) }
      text.histogram("coreml_serving_batch_size", labels(model), bounds: batchBounds, counts: counts, sum: rows)
    }

    text.family("coreml_serving_requests_total", "counter", "Requests by outcome: ok, or the code of the error.")
    for model in models {
      text.sample("coreml_serving_requests_total", labels(model) + [("code", "ok")], model.success.count)
      for (code, count) in model.failures.sorted(by: { $0.key < $1.key }) {
        text.sample("coreml_serving_requests_total", labels(model) + [("code", code)], count)
      }
    }
    values("rows_total", "counter", "Rows that were predicted.", models, &text) { $0.inferenceCount }
    values("runs_total", "counter", "Runs; a run may have several rows.", models, &text) { $0.executionCount }
    values("queue_depth", "gauge", "Requests that wait.", models, &text) { UInt64(clamping: $0.waiting) }
    values("inflight", "gauge", "Requests that run.", models, &text) { UInt64(clamping: $0.running) }
    values("memory_bytes", "gauge", "Memory of a model.", models, &text) { $0.memoryBytes }

    text.family("coreml_serving_model_state", "gauge", "1 for the state that a version of a model is in.")
    for status in statuses {
      for state in [ModelStatus.State.ready, .loading, .unloading, .unavailable] {
        text.sample(
          "coreml_serving_model_state",
          [("model", status.name), ("version", status.version), ("state", state.rawValue.lowercased())],
          state == status.state ? 1 : 0)
      }
    }
  }

  /// The same figures under the names of Triton's metrics, for dashboards that exist.
  package static func appendTriton(_ models: [ModelStatistics], to text: inout PrometheusText) {
    triton("request_success", "Number of successful inference requests, all batch sizes", models, &text) {
      $0.success.count
    }
    text.family("nv_inference_request_failure", "counter", "Number of failed inference requests, all batch sizes")
    for model in models {
      var reasons = ["REJECTED": UInt64(0), "CANCELED": 0, "BACKEND": 0, "OTHER": 0]
      for (code, count) in model.failures { reasons[reason(code), default: 0] += count }
      for (reason, count) in reasons.sorted(by: { $0.key < $1.key }) {
        text.sample("nv_inference_request_failure", labels(model) + [("reason", reason)], count)
      }
    }
    triton("count", "Number of inferences performed", models, &text) { $0.inferenceCount }
    triton("exec_count", "Number of model executions performed", models, &text) { $0.executionCount }
    triton("request_duration_us", "Cumulative inference request duration in microseconds", models, &text) {
      UInt64($0.requestSeconds.sum * 1_000_000)
    }
    triton("queue_duration_us", "Cumulative inference queuing duration in microseconds", models, &text) {
      $0.queue.nanoseconds / 1000
    }
    triton("compute_input_duration_us", "Cumulative compute input duration in microseconds", models, &text) {
      $0.computeInput.nanoseconds / 1000
    }
    triton("compute_infer_duration_us", "Cumulative compute inference duration in microseconds", models, &text) {
      $0.computeInfer.nanoseconds / 1000
    }
    triton("compute_output_duration_us", "Cumulative inference compute output duration in microseconds", models, &text)
    {
      $0.computeOutput.nanoseconds / 1000
    }
    text.family("nv_inference_pending_request_count", "gauge", "Instantaneous number of pending requests per-model.")
    for model in models {
      text.sample("nv_inference_pending_request_count", labels(model), UInt64(clamping: model.waiting))
    }
  }

  private static func labels(_ model: ModelStatistics) -> PrometheusText.Labels {
    [("model", model.name), ("version", model.version)]
  }

  private static func histogram(
    _ name: String, _ help: String, _ models: [ModelStatistics], _ text: inout PrometheusText,
    _ value: (ModelStatistics) -> ModelStatistics.Histogram
  ) {
    text.family("coreml_serving_\(name)", "histogram", help)
    for model in models {
      let histogram = value(model)
      text.histogram(
        "coreml_serving_\(name)", labels(model), bounds: ModelStatistics.Histogram.bounds, counts: histogram.counts,
        sum: histogram.sum)
    }
  }

  private static func values(
    _ name: String, _ type: String, _ help: String, _ models: [ModelStatistics], _ text: inout PrometheusText,
    _ value: (ModelStatistics) -> UInt64
  ) {
    text.family("coreml_serving_\(name)", type, help)
    for model in models { text.sample("coreml_serving_\(name)", labels(model), value(model)) }
  }

  private static func triton(
    _ name: String, _ help: String, _ models: [ModelStatistics], _ text: inout PrometheusText,
    _ value: (ModelStatistics) -> UInt64
  ) {
    text.family("nv_inference_\(name)", "counter", help)
    for model in models { text.sample("nv_inference_\(name)", labels(model), value(model)) }
  }

  private static func reason(_ code: String) -> String {
    switch ServingError.Code(rawValue: code) {
    case .exhausted, .unavailable, .deadlineExceeded, .tooLarge: "REJECTED"
    case .cancelled: "CANCELED"
    case .failed: "BACKEND"
    default: "OTHER"
    }
  }
}
