/// A tensor of a request or of an answer: row-major, little-endian.
package struct ServingTensor: Sendable {
  package var name: String
  package var type: TensorType
  /// The sizes of the axes. Protocol readers have checked that the product does not overflow and equals the number of elements.
  package var shape: [Int]
  package var content: Content
  package var parameters: [String: ParameterValue]

  package enum Content: Sendable {
    /// Elements of a fixed size.
    case elements(TensorMemory)
    /// The elements of a tensor of type `bytes`.
    case byteStrings([[UInt8]])
  }

  package init(
    name: String, type: TensorType, shape: [Int], content: Content, parameters: [String: ParameterValue] = [:]
  ) {
    (self.name, self.type, self.shape, self.content, self.parameters) = (name, type, shape, content, parameters)
  }

  /// The bytes that the tensor keeps in memory.
  package var byteCount: Int {
    switch content {
    case .elements(let memory): memory.bytes.count
    case .byteStrings(let strings): strings.reduce(0) { $0 + $1.count + 4 }
    }
  }
}

/// The value of a parameter of a request, a tensor or a model.
package enum ParameterValue: Sendable, Equatable {
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
}
