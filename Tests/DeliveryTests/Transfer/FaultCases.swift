import Testing

@testable import CoreMLDelivery

/// A fault of a host, and the expected result.
struct FaultCase: Sendable, CustomTestStringConvertible {
  enum Outcome: Sendable {
    case file([UInt8])
    case failure(DeliveryError.Code)
    case notModified
  }

  let testDescription: String
  var sha256: String?
  var size: Int64?
  var limit: Int64 = 1 << 20
  var attempts = 3
  var known: String?
  /// For each request, whether a part was requested; nil if it does not matter.
  var parts: [Bool]?
  let outcome: Outcome
  let answer: FaultServer.Answer

  private static let whole = Outcome.file(Sample.bytes)
  private static let half = 150_000

  private static func chunked(_ pieces: [[UInt8]], ends: Bool) -> [FaultServer.Step] {
    var bytes = Reply.head(200, [("Transfer-Encoding", "chunked"), ("ETag", "\"v1\"")])
    for piece in pieces { bytes += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8) }
    return [.send(bytes + (ends ? Array("0\r\n\r\n".utf8) : []))] + (ends ? [] : [.close])
  }

  /// The first response is cut off; `answer` makes the following ones.
  private static func cut(
    _ name: String, tag: String? = "\"v1\"", changed: String? = nil, sha256: String? = nil, parts: [Bool]? = nil,
    outcome: Outcome = whole, then answer: @escaping FaultServer.Answer
  ) -> FaultCase {
    FaultCase(testDescription: name, sha256: sha256, parts: parts, outcome: outcome) { request in
      request.number == 0 ? Reply.file(request, tag: tag, changed: changed, cut: half) : answer(request)
    }
  }

  static let resumed: [FaultCase] = [
    FaultCase(testDescription: "an honest host", parts: [false], outcome: whole) { Reply.file($0) },
    cut("cut, strong tag", parts: [false, true]) { Reply.file($0) },
    cut("cut again and again", parts: nil) { Reply.file($0, cut: $0.number < 4 ? 40_000 : nil) },
    cut("cut, no validator", tag: nil, parts: [false, false]) { Reply.file($0, tag: nil) },
    cut("cut, weak tag", tag: "W/\"v1\"", parts: [false, false]) { Reply.file($0, tag: "W/\"v1\"") },
    cut("cut, no validator, digest known", tag: nil, sha256: Sample.sha256, parts: [false, true]) {
      Reply.file($0, tag: nil)
    },
    cut("cut, changed long before", tag: nil, changed: Sample.longBefore, parts: [false, true]) {
      Reply.file($0, tag: nil, changed: Sample.longBefore)
    },
    cut("cut, changed just before", tag: nil, changed: Sample.justBefore, parts: [false, false]) {
      Reply.file($0, tag: nil, changed: Sample.justBefore)
    },
    cut("cut, then another file", outcome: .file(Sample.other)) { Reply.file($0, Sample.other, tag: "\"v2\"") },
    cut("cut, then a part of another file", outcome: .file(Sample.other)) { request in
      // The host ignores `If-Range`.
      let offset = request.offset ?? 0
      let body = Sample.other[offset...]
      let range = [("Content-Range", "bytes \(offset)-\(Sample.other.count - 1)/\(Sample.other.count)")]
      return [
        .send(
          Reply.head(
            offset > 0 ? 206 : 200,
            (offset > 0 ? range : []) + [("ETag", "\"v2\""), ("Content-Length", "\(body.count)")])
            + body)
      ]
    },
    cut("cut, then a part of a file of another length", sha256: Sample.sha256) { request in
      guard let offset = request.offset, request.number == 1 else { return Reply.file(request) }
      return [
        .send(Reply.head(206, [("Content-Range", "bytes \(offset)-\(offset)/999999"), ("Content-Length", "1")]) + [0])
      ]
    },
    cut("cut, then bytes of another file without a word", sha256: Sample.sha256) { request in
      guard let offset = request.offset else { return Reply.file(request) }
      let body = [UInt8](repeating: 7, count: 300_000 - offset)
      return [
        .send(
          Reply.head(206, [("Content-Range", "bytes \(offset)-299999/300000"), ("Content-Length", "\(body.count)")])
            + body)
      ]
    },
    cut("cut, then the part from elsewhere on") { request in
      guard request.offset != nil else { return Reply.file(request) }
      return [
        .send(
          Reply.head(206, [("Content-Range", "bytes 10-299999/300000"), ("Content-Length", "299990")])
            + Sample.bytes[10...])
      ]
    },
    cut("cut, then a part that does not say which") { request in
      guard let offset = request.offset else { return Reply.file(request) }
      return [.send(Reply.head(206, [("Content-Length", "\(300_000 - offset)")]) + Sample.bytes[offset...])]
    },
    cut("cut, then a part whose length is another") { request in
      guard let offset = request.offset else { return Reply.file(request) }
      return [
        .send(
          Reply.head(206, [("Content-Range", "bytes \(offset)-299999/300000"), ("Content-Length", "5")]) + [
            1, 2, 3, 4, 5,
          ])
      ]
    },
    cut("cut, then small parts") { request in
      guard let offset = request.offset else { return Reply.file(request) }
      let end = min(offset + 50_000, 300_000)
      return [
        .send(
          Reply.head(
            206,
            [
              ("Content-Range", "bytes \(offset)-\(end - 1)/300000"), ("Content-Length", "\(end - offset)"),
              ("ETag", "\"v1\""),
            ])
            + Sample.bytes[offset..<end])
      ]
    },
    cut("cut, then status 416") { request in
      request.offset == nil ? Reply.file(request) : Reply.status(416, [("Content-Range", "bytes */300000")])
    },
    cut("cut, then a host that knows no parts") { request in
      [.send(Reply.head(200, [("Content-Length", "300000"), ("ETag", "\"v1\"")]) + Sample.bytes)]
    },
    FaultCase(testDescription: "a file that changes all the time", attempts: 20, outcome: .failure(.keepsChanging)) {
      request in
      Reply.file(request, tag: "\"v\(request.number)\"", cut: 70_000)
    },
    FaultCase(testDescription: "chunks, cut off", outcome: whole) { request in
      request.number == 0
        ? chunked([Array(Sample.bytes[..<half])], ends: false) : chunked([Sample.bytes], ends: true)
    },
  ]

  static let refused: [FaultCase] = [
    FaultCase(testDescription: "a length larger than the file", outcome: .failure(.cutShort)) { _ in
      [.send(Reply.head(200, [("Content-Length", "400000")]) + Sample.bytes), .close]
    },
    FaultCase(testDescription: "another length than expected", size: 300_000, outcome: .failure(.wrongSize)) { _ in
      [.send(Reply.head(200, [("Content-Length", "299999")]) + Sample.bytes), .close]
    },
    FaultCase(
      testDescription: "a length smaller than the file", sha256: Sample.sha256, outcome: .failure(.wrongDigest)
    ) { _ in
      [.send(Reply.head(200, [("Content-Length", "299999")]) + Sample.bytes), .close]
    },
    FaultCase(testDescription: "more bytes than expected", size: 300_000, outcome: .failure(.wrongSize)) { _ in
      chunked([Sample.bytes, [1]], ends: true)
    },
    FaultCase(testDescription: "a length beyond the limit", limit: 299_999, outcome: .failure(.tooLarge)) {
      Reply.file($0)
    },
    FaultCase(testDescription: "more bytes than the limit", limit: 299_999, outcome: .failure(.tooLarge)) { _ in
      chunked([Sample.bytes], ends: true)
    },
    FaultCase(testDescription: "more than the disk holds", limit: .max, outcome: .failure(.noSpace)) { _ in
      [.send(Reply.head(200, [("Content-Length", "\(Int64(1) << 60)")]) + Sample.bytes)]
    },
    FaultCase(testDescription: "an end that is only the connection's", outcome: .failure(.unknownLength)) { _ in
      [.send(Reply.head(200, []) + Sample.bytes), .close]
    },
    FaultCase(testDescription: "the same with a digest", sha256: Sample.sha256, outcome: whole) { _ in
      [.send(Reply.head(200, []) + Sample.bytes), .close]
    },
    FaultCase(testDescription: "another file", sha256: Sample.sha256, outcome: .failure(.wrongDigest)) {
      Reply.file($0, Sample.other)
    },
    FaultCase(testDescription: "an encoding", outcome: .failure(.contentEncoding)) {
      Reply.file($0, headers: [("Content-Encoding", "gzip")])
    },
    FaultCase(testDescription: "an encoding, digest known", sha256: Sample.sha256, outcome: whole) {
      Reply.file($0, headers: [("Content-Encoding", "gzip")])
    },
    FaultCase(testDescription: "status 404", outcome: .failure(.notFound)) { _ in Reply.status(404) },
    FaultCase(testDescription: "status 410", outcome: .failure(.notFound)) { _ in Reply.status(410) },
    FaultCase(testDescription: "status 403", outcome: .failure(.forbidden)) { _ in Reply.status(403) },
    FaultCase(testDescription: "status 418", outcome: .failure(.badResponse)) { _ in Reply.status(418) },
    FaultCase(testDescription: "status 500", outcome: .failure(.hostFailed)) { _ in Reply.status(500) },
    FaultCase(testDescription: "status 500, once", outcome: whole) {
      $0.number == 0 ? Reply.status(500) : Reply.file($0)
    },
    FaultCase(testDescription: "status 503", outcome: .failure(.busy)) { _ in Reply.status(503) },
    FaultCase(testDescription: "status 206, unasked", outcome: .failure(.badResponse)) { _ in
      [
        .send(
          Reply.head(206, [("Content-Range", "bytes 0-299999/300000"), ("Content-Length", "300000")]) + Sample.bytes)
      ]
    },
    FaultCase(testDescription: "status 416, unasked", outcome: .failure(.badResponse)) { _ in Reply.status(416) },
    FaultCase(testDescription: "status 304, unasked", outcome: .failure(.badResponse)) { _ in
      [.send(Reply.head(304, []))]
    },
    FaultCase(testDescription: "status 304", known: "\"v1\"", outcome: .notModified) { request in
      request.headers["if-none-match"] == "\"v1\"" ? [.send(Reply.head(304, []))] : Reply.status(400)
    },
    // Some hosts send interim responses while they work; a hostile one sends nothing else.
    FaultCase(testDescription: "interim answers, then the file", outcome: whole) { request in
      [.send((0..<20).flatMap { _ in Reply.interim })] + Reply.file(request)
    },
    FaultCase(testDescription: "interim answers without end", outcome: .failure(.badResponse)) { _ in
      [.send((0..<20_000).flatMap { _ in Reply.interim })]
    },
    FaultCase(testDescription: "no HTTP", outcome: .failure(.badResponse)) { _ in
      [.send(Array("220 mail.example ESMTP\r\n\r\n".utf8)), .close]
    },
    FaultCase(testDescription: "no answer at all", outcome: .failure(.cutShort)) { _ in [.close] },
    FaultCase(testDescription: "an empty file", outcome: .file([])) { Reply.file($0, []) },
  ]
}
