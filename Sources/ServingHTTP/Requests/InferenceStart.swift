import CoreMLServingInterface
import CoreMLServingProtocol
import NIOHTTP1

/// What the head of an inference request decides, before its body is read.
extension ServerContext {
  /// Admits the request and prepares to read its body.
  ///
  /// - Throws: If the service does not admit it, the body is too large, or a header is wrong.
  func begin(_ exchange: Exchange, model: String, version: String?) throws(ServingError) {
    let fields = exchange.head.headers
    if let value = fields.first(name: "request-timeout") {
      guard let seconds = Double(value), seconds > 0, seconds < 1e9 else {
        throw ServingError(.invalidArgument, "The header 'Request-Timeout' must be seconds, and '\(value)' is not.")
      }
      exchange.deadline = exchange.arrival + .seconds(seconds)
    }
    let limit = options.limits.bodyBytes
    if let length = exchange.contentLength, length > limit { throw RequestAssembler.tooLarge(limit) }
    let coding = try ContentCoding(contentEncoding: fields.first(name: "content-encoding"))
    let form = try Self.form(fields)
    try service.admit(
      model: model, version: version, byteCount: exchange.contentLength ?? 0, deadline: exchange.deadline)
    if let coding { exchange.inflater = try Inflater(coding, limit: limit) }
    exchange.assembler = try RequestAssembler(
      form: form, contentLength: coding == nil ? exchange.contentLength : nil, limit: limit)
    exchange.endsWithClient = true
  }

  /// The form of the body. It does not depend on the content type, apart from images: clients send JSON without one.
  private static func form(_ fields: HTTPHeaders) throws(ServingError) -> RequestAssembler.Form {
    let lengths = fields["inference-header-content-length"]
    if let text = lengths.first {
      guard lengths.count == 1, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let length = Int(text) else {
        throw ServingError(.invalidArgument, "The header 'Inference-Header-Content-Length' must be one integer from 0.")
      }
      return length == 0 ? .raw : .binary(headLength: length)
    }
    return fields.first(name: "content-type")?.lowercased().hasPrefix("image/") == true ? .picture : .json
  }
}
