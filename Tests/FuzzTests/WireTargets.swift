import CoreMLServingInterface
import CoreMLServingWire

extension FuzzTarget {
  /// Requests of the server over gRPC. A request that is read has tensors of the announced sizes, and what an answer
  /// with these tensors writes is as long as it says.
  static let inference = FuzzTarget("inference", longest: 4096) { input in
    let request = try InferRequestReader().read(input)
    for tensor in request.inputs {
      let count = tensor.shape.reduce(1, *)
      switch tensor.content {
      case .elements(let memory):
        guard memory.bytes.count == count * (tensor.type.byteCount ?? -1) else {
          throw Finding("\(tensor.type.rawValue) of the shape \(tensor.shape) has \(memory.bytes.count) bytes")
        }
      case .byteStrings(let strings):
        guard tensor.type == .bytes, strings.count == count else {
          throw Finding("\(tensor.type.rawValue) of the shape \(tensor.shape) has \(strings.count) byte strings")
        }
      }
    }
    let answer = InferenceAnswer(
      model: request.model, version: request.version ?? "", id: request.id, outputs: request.inputs)
    let writer = InferAnswerWriter(stream: answer)
    // The byte behind the answer must stay as it is.
    var bytes = [UInt8](repeating: 0xa5, count: writer.byteCount + 1)
    bytes.withUnsafeMutableBytes { writer.copy(to: UnsafeMutableRawBufferPointer(rebasing: $0.dropLast())) }
    guard bytes.last == 0xa5 else { throw Finding("the answer is longer than it says") }
  }
}
