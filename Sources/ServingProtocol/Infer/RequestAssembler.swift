import CoreMLServingInterface

/// Puts the body of an inference request together from the pieces that arrive, with one copy into the tensors.
///
/// The body is JSON, or JSON followed by tensors, or one tensor alone, or a picture.
// Sendable: one task or event loop uses it at a time.
package final class RequestAssembler: @unchecked Sendable {
  package enum Form: Sendable, Equatable {
    /// The whole body is JSON.
    case json
    /// This many bytes of JSON, then the tensors in its order.
    case binary(headLength: Int)
    /// The body is the model's only input.
    case raw
    /// The body is a picture for the model's only image input.
    case picture
  }

  /// The largest JSON in front of tensors.
  package static let longestHead = 1 << 20

  package let form: Form
  /// The bytes of the body as far as they have arrived.
  package private(set) var byteCount = 0
  /// The JSON in front of the tensors, as soon as it is complete.
  package private(set) var head: InferenceHead?

  private let limit: Int
  private let text = ByteStore()
  private var filler: TensorFiller?

  /// - Parameters:
  ///   - contentLength: The size of the body if it is known.
  ///   - limit: The most bytes of a body.
  package init(form: Form, contentLength: Int?, limit: Int) throws(ServingError) {
    (self.form, self.limit) = (form, limit)
    if let contentLength, contentLength > limit { throw Self.tooLarge(limit) }
    switch form {
    case .binary(let length):
      guard length > 0, length <= Self.longestHead else {
        throw ServingError(.tooLarge, "The JSON in front of the tensors exceeds \(Self.longestHead) bytes.")
      }
      if let contentLength, contentLength < length {
        throw ServingError(
          .invalidArgument,
          "The body has \(contentLength) bytes, and 'Inference-Header-Content-Length' is \(length).")
      }
      text.reserve(length)
    default: text.reserve(min(contentLength ?? 0, limit))
    }
    try text.check()
  }

  package static func tooLarge(_ limit: Int) -> ServingError {
    ServingError(.tooLarge, "The body exceeds the limit of \(limit) bytes.")
  }

  /// Takes the next bytes of the body.
  ///
  /// - Returns: Whether the JSON in front of the tensors became complete, so that the caller can decide again whether it
  ///   wants the tensors. Their memory is requested by the next call.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(ServingError) -> Bool {
    let isUnread = head == nil
    var rest = bytes
    byteCount += bytes.count
    guard byteCount <= limit else { throw Self.tooLarge(limit) }
    guard case .binary(let length) = form else {
      text.append(bytes)
      try text.check()
      return false
    }
    if isUnread {
      let part = min(rest.count, length - text.count)
      text.append(UnsafeRawBufferPointer(rebasing: rest[..<part]))
      try text.check()
      guard text.count == length else { return false }
      rest = UnsafeRawBufferPointer(rebasing: rest[part...])
      let head = try InferenceHead(json: text.bytes)
      guard try head.binaryByteCount() <= limit - length else { throw Self.tooLarge(limit) }
      self.head = head
      filler = TensorFiller(head)
    }
    try filler?.append(rest)
    return isUnread
  }

  /// Checks that the body is complete, and reads JSON that is still unread.
  ///
  /// - Parameter metadata: The model's, for a body without JSON.
  package func finish(
    metadata: () throws(ServingError) -> ModelMetadata
  ) throws(ServingError) -> AssembledRequest {
    switch form {
    case .json:
      let head = try InferenceHead(json: text.bytes)
      if let input = head.inputs.first(where: { $0.binaryByteCount != nil }) {
        throw ServingError(
          .invalidArgument,
          "The input '\(input.name)' is binary, and the request has no 'Inference-Header-Content-Length'.")
      }
      return try AssembledRequest(head, isBinary: false)
    case .binary(let length):
      guard let head, let filler else {
        throw ServingError(.invalidArgument, "The body has \(text.count) bytes of JSON where \(length) are announced.")
      }
      return try AssembledRequest(try filler.finish(head), isBinary: false)
    case .raw: return try RawBody.request(text.bytes, try metadata())
    case .picture: return try RawBody.picture(text.bytes, try metadata())
    }
  }
}

/// An inference request as the body says it.
package struct AssembledRequest: Sendable {
  package var id: String?
  package var inputs: [ServingTensor]
  package var outputs: [RequestedOutput]
  package var parameters: RequestParameters
  package var answerForm: AnswerForm

  package init(_ head: InferenceHead, isBinary: Bool) throws(ServingError) {
    parameters = try RequestParameters(head.parameters)
    id = head.id
    outputs = head.outputs.map(\.request)
    inputs = head.inputs.map { input in
      ServingTensor(
        name: input.name, type: input.type, shape: input.shape, content: input.content ?? .byteStrings([]),
        parameters: input.parameters)
    }
    answerForm = AnswerForm(isBinary: isBinary || parameters.isOutputBinary)
    for output in head.outputs {
      if let isBinary = output.isBinary { answerForm.byName[output.request.name] = isBinary }
    }
  }

  /// The request for the core. `arrival` starts the client's timeout; `header` is a deadline from elsewhere.
  package func request(
    model: String, version: String?, arrival: ContinuousClock.Instant, deadline header: ContinuousClock.Instant?
  ) -> InferenceRequest {
    let own = parameters.timeout.map { arrival + $0 }
    return InferenceRequest(
      model: model, version: version, id: id, inputs: inputs, outputs: outputs,
      deadline: [own, header].compactMap { $0 }.min(), priority: parameters.priority,
      sequence: parameters.sequence, parameters: parameters.others)
  }
}
