import CoreMLServingInterface
import CoreMLServingProtocol
import Foundation
import NIOCore
import NIOHTTP1

/// A request and what is known of it so far. Only the connection's event loop uses it.
final class Exchange {
  let head: HTTPRequestHead
  let arrival = ContinuousClock.now
  let time = Date()
  var route = Route.unknown
  var user: String?
  var keepAlive: Bool
  /// The announced size of the body; nil if it comes in chunks.
  var contentLength: Int?
  var bytesIn = 0
  var requestID: String?
  var trace: TraceContext?
  /// From the client's header.
  var deadline: ContinuousClock.Instant?

  /// The body of an inference.
  var assembler: RequestAssembler?
  var inflater: Inflater?
  /// The body of another request.
  var body = ByteStore()

  var task: Task<Void, Never>?
  /// Whether the work ends when the client goes away.
  var endsWithClient = false

  init(_ head: HTTPRequestHead) {
    self.head = head
    keepAlive = head.isKeepAlive
    trace = head.headers.first(name: "traceparent").flatMap { TraceContext(traceparent: $0) }
  }

  /// Whether the request may have a body.
  var hasBody: Bool { contentLength.map { $0 > 0 } ?? head.headers.contains(name: "transfer-encoding") }

  /// The bytes of the body that have not arrived; nil if that is not known.
  var missing: Int? {
    if let contentLength { return contentLength - bytesIn }
    return hasBody ? nil : 0
  }

  func record(status: Int, bytesOut: Int, client: String) -> AccessRecord {
    AccessRecord(
      time: time, method: head.method.rawValue, target: head.uri, status: status, model: route.model,
      requestID: requestID, bytesIn: bytesIn, bytesOut: bytesOut, duration: arrival.duration(to: .now), client: client,
      user: user, trace: trace)
  }
}
