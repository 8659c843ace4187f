import CoreMLServingInterface
import Foundation

/// Bodies without JSON: the only input of the model, as its bytes or as a picture file.
enum RawBody {
  /// Outputs come back as bytes, as for binary requests.
  static func request(
    _ bytes: UnsafeRawBufferPointer, _ model: ModelMetadata
  ) throws(ServingError) -> AssembledRequest {
    guard !bytes.isEmpty else { throw ServingError(.invalidArgument, "The request has no body.") }
    let needed = model.inputs.filter { !$0.isOptional }
    guard needed.count == 1 || (needed.isEmpty && model.inputs.count == 1),
      let input = needed.first ?? model.inputs.first
    else {
      throw ServingError(
        .invalidArgument,
        "A body without JSON needs a model with one input, and '\(model.name)' has \(model.inputs.count).")
    }
    return try assembled(input.name, input.type, try shape(bytes.count, input), bytes)
  }

  static func picture(
    _ bytes: UnsafeRawBufferPointer, _ model: ModelMetadata
  ) throws(ServingError) -> AssembledRequest {
    let images = model.inputs.filter { $0.parameters["content_type"] == .text("image") }
    guard images.count == 1, model.inputs.allSatisfy({ $0.isOptional || $0.name == images[0].name }) else {
      throw ServingError(
        .invalidArgument, "An image as the body needs a model with one input, an image, and '\(model.name)' is none.")
    }
    guard !bytes.isEmpty else { throw ServingError(.invalidArgument, "The request has no body.") }
    let input = InferenceHead.Input(
      name: images[0].name, type: .bytes, shape: [1], parameters: [:], content: .byteStrings([Array(bytes)]))
    var head = InferenceHead()
    head.inputs = [input]
    return try AssembledRequest(head, isBinary: false)
  }

  private static func assembled(
    _ name: String, _ type: TensorType, _ shape: [Int], _ bytes: UnsafeRawBufferPointer
  ) throws(ServingError) -> AssembledRequest {
    let content: ServingTensor.Content
    if type == .bytes {
      content = .byteStrings([Array(bytes)])
    } else {
      let memory = try TensorMemory(byteCount: bytes.count)
      memory.bytes.copyMemory(from: bytes)
      content = .elements(memory)
    }
    var head = InferenceHead()
    head.inputs = [InferenceHead.Input(name: name, type: type, shape: shape, parameters: [:], content: content)]
    return try AssembledRequest(head, isBinary: true)
  }

  /// The shape of the input, whose only open axis follows from the number of bytes.
  private static func shape(_ count: Int, _ input: ModelMetadata.Tensor) throws(ServingError) -> [Int] {
    guard let size = input.type.byteCount else {
      guard input.shape.allSatisfy({ $0 == 1 || $0 == -1 }) else {
        throw ServingError(.invalidArgument, "A body without JSON needs a BYTES input of one string.")
      }
      return input.shape.map { _ in 1 }
    }
    guard input.shape.filter({ $0 < 0 }).count <= 1 else {
      throw ServingError(
        .invalidArgument,
        "A body without JSON needs an input with at most one open axis, and '\(input.name)' has more.")
    }
    let known = try TensorShape.elementCount(input.shape.filter { $0 >= 0 }, tensor: input.name) * size
    guard known > 0, count % known == 0, count == known || input.shape.contains(where: { $0 < 0 }) else {
      throw ServingError(
        .invalidArgument,
        "The body has \(count) bytes, and the input '\(input.name)' of type \(input.type.rawValue) and shape \(TensorShape.text(input.shape)) does not."
      )
    }
    return input.shape.map { $0 < 0 ? count / known : $0 }
  }
}
