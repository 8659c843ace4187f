import CoreMLServingInterface
import CoreMLServingProtocol

/// Requests to the server.
extension FuzzTarget {
  /// A target line, a line break, and a body: JSON, or JSON up to a byte 1 and then tensors.
  ///
  /// The pieces in which a body arrives make no difference. The inputs, written as an answer, read back as the same.
  static let request = FuzzTarget("request", longest: 4096) { input in
    let line = input.firstIndex(of: 0x0A) ?? 0
    _ = try Route(target: String(decoding: UnsafeRawBufferPointer(rebasing: input[..<line]), as: UTF8.self))
    var body = Array(input[min(line + 1, input.count)...])
    var form = RequestAssembler.Form.json
    if let mark = body.firstIndex(of: 1) {
      body.remove(at: mark)
      form = mark == 0 ? .raw : .binary(headLength: mark)
    }
    let whole = Result { () throws(ServingError) in try read(body, form, piece: .max) }
    let pieces = Result { () throws(ServingError) in try read(body, form, piece: 7) }
    switch (whole, pieces) {
    case (.success(let first), .success(let second)):
      guard try text(first) == text(second) else { throw Finding("pieces give another request") }
      try again(first)
    case (.failure(let error), .failure): throw error
    default: throw Finding("pieces decide whether a request is read")
    }
  }

  /// A compressed body: its first byte chooses the coding.
  static let compressed = FuzzTarget("compressed", longest: 4096) { input in
    guard let first = input.first else { return }
    let inflater = try Inflater(first & 1 == 0 ? .gzip : .deflate, limit: 1 << 20)
    try inflater.append(UnsafeRawBufferPointer(rebasing: input[1...])) { _ in }
    try inflater.finish()
  }

  private static let model = ModelMetadata(
    name: "m", versions: ["1"], inputs: [ModelMetadata.Tensor(name: "x", type: .float32, shape: [-1, 2])], outputs: [])

  private static func read(
    _ body: [UInt8], _ form: RequestAssembler.Form, piece: Int
  ) throws(ServingError) -> AssembledRequest {
    let assembler = try RequestAssembler(form: form, contentLength: body.count, limit: 1 << 20)
    var start = 0
    while start < body.count {
      let end = piece >= body.count - start ? body.count : start + piece
      // A copy of its own, so that reading beyond a piece is found.
      let part = Array(body[start..<end])
      let result = part.withUnsafeBytes { bytes in
        Result { () throws(ServingError) in try assembler.append(bytes) }
      }
      _ = try result.get()
      start = end
    }
    return try assembler.finish { () throws(ServingError) in model }
  }

  private static func text(_ request: AssembledRequest) throws(ServingError) -> [UInt8] {
    let answer = InferenceAnswer(model: "m", version: "1", id: request.id, outputs: request.inputs)
    return try AnswerBytes(answer, form: AnswerForm(isBinary: true)).pieces.flatMap { Array($0.bytes) }
  }

  private static func again(_ request: AssembledRequest) throws {
    let answer = InferenceAnswer(model: "m", version: "1", id: request.id, outputs: request.inputs)
    let bytes: AnswerBytes
    // Bytes that are not text cannot be JSON.
    do { bytes = try AnswerBytes(answer, form: AnswerForm(isBinary: false)) } catch { return }
    let json = bytes.pieces.flatMap { Array($0.bytes) }
    let renamed = String(decoding: json, as: UTF8.self).replacing(
      "\"outputs\":[", with: "\"inputs\":[", maxReplacements: 1)
    let second = try read(Array(renamed.utf8), .json, piece: .max)
    guard second.inputs.map(\.name) == request.inputs.map(\.name),
      second.inputs.map(\.shape) == request.inputs.map(\.shape)
    else { throw Finding("an answer reads back as another") }
  }
}
