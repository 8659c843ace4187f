import CoreMLServingInterface
import CoreMLServingWire
import GRPCCore

/// A request as read. A message that cannot be read is a value, so that it does not end its stream.
struct ReadRequest: Sendable {
  let result: Result<InferenceRequest, ServingError>
  /// The identifier of the request, if it could be found.
  let id: String?
}

/// Reads `ModelInferRequest` from the bytes of the transport.
struct InferDeserializer: MessageDeserializer {
  let reader: InferRequestReader
  /// The largest message in bytes. The transport accepts slightly larger ones, since it ends their streams without a
  /// reason.
  let limit: Int

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) -> ReadRequest {
    bytes.withUnsafeBytes { message in
      do throws(ServingError) {
        guard message.count <= limit else {
          throw ServingError(.tooLarge, "The message has \(message.count) bytes, and \(limit) is the limit.")
        }
        let request = try reader.read(message)
        return ReadRequest(result: .success(request), id: request.id)
      } catch {
        return ReadRequest(result: .failure(error), id: reader.identifier(message))
      }
    }
  }
}

/// Copies an answer into the bytes of the transport.
struct InferSerializer: MessageSerializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ answer: InferAnswerWriter) -> Bytes {
    var bytes = Bytes(repeating: 0, count: answer.byteCount)
    bytes.withUnsafeMutableBytes { answer.copy(to: $0) }
    return bytes
  }
}
