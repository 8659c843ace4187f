import CoreMLServingProtocol
import Foundation

/// What the access log tells of a request.
package struct AccessRecord: Sendable {
  package var time: Date
  package var method: String
  package var target: String
  package var status: Int
  package var model: String?
  package var requestID: String?
  package var bytesIn: Int
  package var bytesOut: Int
  package var duration: Duration
  package var client: String
  /// The name of the token.
  package var user: String?
  package var trace: TraceContext?

  /// One line of JSON, without a line break.
  package var json: String {
    var writer = JSONWriter()
    writer.object {
      $0.field("time", time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
      $0.field("method", method)
      $0.field("path", target)
      $0.field("status", status)
      if let model { $0.field("model", model) }
      if let requestID { $0.field("id", requestID) }
      $0.field("bytes_in", bytesIn)
      $0.field("bytes_out", bytesOut)
      $0.name("duration_ms")
      $0.number(duration / .milliseconds(1))
      $0.field("client", client)
      if let user { $0.field("user", user) }
      if let trace {
        $0.field("trace_id", trace.traceID)
        $0.field("parent_id", trace.parentID)
      }
    }
    return String(decoding: writer.store.array, as: UTF8.self)
  }
}
