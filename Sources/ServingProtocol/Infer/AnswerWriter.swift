import CoreMLServingInterface

/// Which outputs follow the answer's JSON as bytes.
package struct AnswerForm: Sendable, Equatable {
  package var isBinary: Bool
  package var byName: [String: Bool] = [:]

  package init(isBinary: Bool) { self.isBinary = isBinary }
}

/// The bytes of an answer, in pieces that are sent one after the other and never joined.
package struct AnswerBytes: Sendable {
  package enum Piece: Sendable {
    case store(ByteStore)
    case tensor(TensorMemory)

    package var count: Int {
      switch self {
      case .store(let store): store.count
      case .tensor(let memory): memory.bytes.count
      }
    }

    package var bytes: UnsafeRawBufferPointer {
      switch self {
      case .store(let store): store.bytes
      case .tensor(let memory): UnsafeRawBufferPointer(memory.bytes)
      }
    }
  }

  package var pieces: [Piece]
  /// The bytes of the JSON if tensors follow it: the header `Inference-Header-Content-Length`.
  package var headLength: Int?

  package var count: Int { pieces.reduce(0) { $0 + $1.count } }

  package init(pieces: [Piece], headLength: Int? = nil) { (self.pieces, self.headLength) = (pieces, headLength) }

  /// Writes the answer to a request.
  ///
  /// - Throws: `invalidArgument` if an output holds bytes that are not text and is not asked for as bytes.
  package init(_ answer: InferenceAnswer, form: AnswerForm) throws(ServingError) {
    let store = ByteStore()
    var writer = JSONWriter(store)
    var tensors: [Piece] = []
    var failure: ServingError?
    var hasTensors = false
    writer.object { writer in
      if let id = answer.id { writer.field("id", id) }
      writer.field("model_name", answer.model)
      writer.field("model_version", answer.version)
      writer.name("outputs")
      writer.array(answer.outputs) { writer, output in
        let isBinary = form.byName[output.name] ?? form.isBinary
        var parameters = output.parameters
        if isBinary {
          hasTensors = true
          let piece = Self.piece(output)
          parameters["binary_data_size"] = .integer(Int64(piece.count))
          if piece.count > 0 { tensors.append(piece) }
        }
        writer.object { writer in
          writer.field("name", output.name)
          writer.field("datatype", output.type.rawValue)
          writer.field("shape", output.shape)
          if !parameters.isEmpty { writer.field("parameters", parameters) }
          guard !isBinary else { return }
          writer.name("data")
          writer.value { store in
            do throws(ServingError) { try TensorDataWriter.write(output, into: store) } catch {
              failure = failure ?? error
            }
          }
        }
      }
    }
    if let failure { throw failure }
    try store.check()
    for case .store(let store) in tensors { try store.check() }
    self.init(pieces: [.store(store)] + tensors, headLength: hasTensors ? store.count : nil)
  }

  private static func piece(_ output: ServingTensor) -> Piece {
    switch output.content {
    case .elements(let memory): return .tensor(memory)
    case .byteStrings(let strings):
      let store = ByteStore()
      ByteStrings.join(strings, into: store)
      return .store(store)
    }
  }
}
