import CoreMLServingProtocol
import Synchronization

/// Counts of the HTTP server itself.
final class HTTPCounters: Sendable {
  private let statuses = Mutex<[Int: UInt64]>([:])
  private let openConnections: @Sendable () -> Int

  init(openConnections: @escaping @Sendable () -> Int) { self.openConnections = openConnections }

  func count(status: Int) { statuses.withLock { $0[status, default: 0] += 1 } }

  func append(to text: inout PrometheusText) {
    text.family("coreml_serving_http_requests_total", "counter", "HTTP requests by status.")
    for (status, count) in statuses.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      text.sample("coreml_serving_http_requests_total", [("code", String(status))], count)
    }
    text.family("coreml_serving_http_connections", "gauge", "Open HTTP connections.")
    text.sample("coreml_serving_http_connections", [], UInt64(clamping: openConnections()))
  }
}
