import CoreMLServingInterface

/// The bytes of a `ModelInferResponse` or a `ModelStreamInferResponse`, as pieces that are copied once.
///
/// Tensors are raw. The pieces refer to the memory of the answer's tensors.
package struct InferAnswerWriter: Sendable {
  private enum Piece: Sendable {
    case bytes([UInt8])
    case memory(TensorMemory)
  }

  private var pieces: [Piece] = []
  package private(set) var byteCount = 0

  package init(_ answer: InferenceAnswer) { self.init(answer, isLast: false) }

  /// - Parameter isLast: whether the answer says that no other one follows, as clients of streams expect.
  private init(_ answer: InferenceAnswer, isLast: Bool) {
    var head = WireWriter()
    head.text(1, answer.model)
    head.text(2, answer.version)
    head.text(3, answer.id ?? "")
    if isLast { Self.write("triton_final_response", .bool(true), to: &head) }
    for output in answer.outputs { head.message(5) { Self.write(output, to: &$0) } }
    for output in answer.outputs {
      head.key(6, 2)
      switch output.content {
      case .elements(let memory):
        head.varint(UInt64(memory.bytes.count))
        append(.bytes(head.bytes), head.bytes.count)
        head = WireWriter()
        append(.memory(memory), memory.bytes.count)
      case .byteStrings(let strings): Self.write(strings, to: &head)
      }
    }
    append(.bytes(head.bytes), head.bytes.count)
  }

  /// An answer of a stream.
  package init(stream answer: InferenceAnswer) {
    let inner = InferAnswerWriter(answer, isLast: true)
    var head = WireWriter()
    head.key(2, 2)
    head.varint(UInt64(inner.byteCount))
    append(.bytes(head.bytes), head.bytes.count)
    pieces += inner.pieces
    byteCount += inner.byteCount
  }

  /// The failure of one request of a stream. The client finds the request by its `id`.
  package init(error: String, model: String, version: String?, id: String?) {
    self.init(stream: InferenceAnswer(model: model, version: version ?? "", id: id, outputs: []))
    var head = WireWriter()
    head.field(1, error.utf8)
    pieces.insert(.bytes(head.bytes), at: 0)
    byteCount += head.bytes.count
  }

  /// Fills a buffer of `byteCount` bytes.
  package func copy(to buffer: UnsafeMutableRawBufferPointer) {
    var offset = 0
    for piece in pieces {
      let target = UnsafeMutableRawBufferPointer(rebasing: buffer[offset...])
      switch piece {
      case .bytes(let bytes):
        target.copyBytes(from: bytes)
        offset += bytes.count
      case .memory(let memory):
        target.copyMemory(from: UnsafeRawBufferPointer(memory.bytes))
        offset += memory.bytes.count
      }
    }
  }

  private mutating func append(_ piece: Piece, _ count: Int) {
    guard count > 0 else { return }
    pieces.append(piece)
    byteCount += count
  }

  private static func write(_ output: ServingTensor, to writer: inout WireWriter) {
    writer.text(1, output.name)
    writer.text(2, output.type.rawValue)
    writer.packed(3, output.shape)
    for (name, value) in output.parameters.sorted(by: { $0.key < $1.key }) {
      write(name, value, to: &writer)
    }
  }

  private static func write(_ name: String, _ value: ParameterValue, to writer: inout WireWriter) {
    writer.message(4) { entry in
      entry.text(1, name)
      entry.message(2) { Self.write(value, to: &$0) }
    }
  }

  private static func write(_ value: ParameterValue, to writer: inout WireWriter) {
    switch value {
    case .bool(let flag):
      writer.key(1, 0)
      writer.varint(flag ? 1 : 0)
    case .integer(let number):
      writer.key(2, 0)
      writer.varint(UInt64(bitPattern: number))
    case .text(let text): writer.field(3, text.utf8)
    case .number(let number): writer.double(4, number)
    }
  }

  private static func write(_ strings: [[UInt8]], to writer: inout WireWriter) {
    writer.varint(UInt64(strings.reduce(0) { $0 + 4 + $1.count }))
    for string in strings { writer.lengthAndBytes(string) }
  }
}
