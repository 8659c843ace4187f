import CoreMLServingInterface
import Foundation

@testable import CoreMLServingProtocol

/// Reads bodies as the server does.
enum Requests {
  static let model = ModelMetadata(
    name: "m", versions: ["1"], inputs: [ModelMetadata.Tensor(name: "x", type: .float32, shape: [-1, 4])],
    outputs: [ModelMetadata.Tensor(name: "y", type: .float32, shape: [-1, 2])])

  static func read(
    _ body: [UInt8], _ form: RequestAssembler.Form = .json, limit: Int = 1 << 24, piece: Int = .max,
    model: ModelMetadata = model
  ) throws(ServingError) -> AssembledRequest {
    let assembler = try RequestAssembler(form: form, contentLength: body.count, limit: limit)
    var start = 0
    while start < body.count {
      let end = piece >= body.count - start ? body.count : start + piece
      // A copy of its own, so that reading beyond a piece is found by a sanitizer.
      let part = Array(body[start..<end])
      _ = try Self.with(part) { bytes throws(ServingError) in try assembler.append(bytes) }
      start = end
    }
    return try assembler.finish { () throws(ServingError) in model }
  }

  static func with<Value>(
    _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(ServingError) -> Value
  ) throws(ServingError) -> Value {
    try bytes.withUnsafeBytes { buffer -> Result<Value, ServingError> in
      do throws(ServingError) { return .success(try body(buffer)) } catch { return .failure(error) }
    }.get()
  }

  static func json(_ text: String) throws(ServingError) -> AssembledRequest { try read(Array(text.utf8)) }

  /// A request with one input, given its fields after the name.
  static func input(_ fields: String) throws(ServingError) -> ServingTensor {
    try json(#"{"inputs":[{"name":"x",\#(fields)}]}"#).inputs[0]
  }

  /// The error's message; nil if the text is accepted.
  static func refusal(_ text: String) -> ServingError? {
    do throws(ServingError) {
      _ = try json(text)
      return nil
    } catch { return error }
  }
}

extension ServingTensor {
  func values<Element: BitwiseCopyable>(_ type: Element.Type) -> [Element] {
    guard case .elements(let memory) = content else { return [] }
    return Array(UnsafeRawBufferPointer(memory.bytes).bindMemory(to: type))
  }

  var strings: [String] {
    guard case .byteStrings(let strings) = content else { return [] }
    return strings.map { String(decoding: $0, as: UTF8.self) }
  }

  static func of<Element: BitwiseCopyable>(
    _ name: String, _ type: TensorType, _ shape: [Int], _ values: [Element],
    parameters: [String: ParameterValue] = [:]
  ) throws -> ServingTensor {
    let memory = try TensorMemory(byteCount: values.count * MemoryLayout<Element>.size)
    values.withUnsafeBytes { memory.bytes.copyMemory(from: $0) }
    return ServingTensor(name: name, type: type, shape: shape, content: .elements(memory), parameters: parameters)
  }
}

extension ByteStore {
  var string: String { String(decoding: bytes, as: UTF8.self) }
}

extension AnswerBytes {
  var string: String { String(decoding: pieces.flatMap { Array($0.bytes) }, as: UTF8.self) }
}
