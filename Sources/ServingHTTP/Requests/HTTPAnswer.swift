import CoreMLServingInterface
import CoreMLServingProtocol
import NIOHTTP1

/// A complete answer.
struct HTTPAnswer: Sendable {
  var status: Int
  var fields: HTTPHeaders
  var pieces: [AnswerBytes.Piece]
  /// The client's name of the request, for the log.
  var requestID: String?

  init(status: Int, type: String, fields: HTTPHeaders = HTTPHeaders(), pieces: [AnswerBytes.Piece]) {
    (self.status, self.fields, self.pieces) = (status, fields, pieces)
    if !type.isEmpty { self.fields.add(name: "Content-Type", value: type) }
  }

  static func json(_ store: ByteStore, status: Int = 200) -> HTTPAnswer {
    HTTPAnswer(status: status, type: "application/json", pieces: [.store(store)])
  }

  static func empty() -> HTTPAnswer { HTTPAnswer(status: 200, type: "", pieces: []) }

  init(_ error: ServingError) {
    self = .json(Documents.error(error.message), status: error.httpStatus)
    if let seconds = error.retryAfterSeconds { fields.add(name: "Retry-After", value: String(seconds)) }
    if error.code == .unauthenticated { fields.add(name: "WWW-Authenticate", value: "Bearer") }
  }

  /// The answer to an inference, compressed if the client wants that.
  init(_ bytes: AnswerBytes, acceptEncoding: String?) throws(ServingError) {
    let isBinary = bytes.headLength != nil
    self.init(status: 200, type: isBinary ? "application/octet-stream" : "application/json", pieces: bytes.pieces)
    if let length = bytes.headLength { fields.add(name: "Inference-Header-Content-Length", value: String(length)) }
    try compress(acceptEncoding: acceptEncoding, isBinary: isBinary)
  }

  /// Small answers stay as they are.
  mutating func compress(acceptEncoding: String?, isBinary: Bool = false) throws(ServingError) {
    guard pieces.reduce(0, { $0 + $1.count }) >= 1024,
      let coding = ContentCoding(acceptEncoding: acceptEncoding, isBinary: isBinary)
    else { return }
    pieces = [.store(try Deflater.compress(pieces, coding))]
    fields.add(name: "Content-Encoding", value: coding.rawValue)
    fields.add(name: "Vary", value: "Accept-Encoding")
  }
}
