import CoreMLServingInterface

/// Reads one input of a request. The fields may have any order: `data` before `datatype` or `shape` is read last.
enum InputReader {
  static func read(_ scanner: inout JSONScanner) throws(ServingError) -> InferenceHead.Input {
    var name: String?
    var type: TensorType?
    var shape: [Int]?
    var parameters: [String: ParameterValue] = [:]
    var content: ServingTensor.Content?
    var later: JSONScanner?
    try scanner.object { field, scanner throws(ServingError) in
      switch field {
      case "name": name = try scanner.string()
      case "datatype":
        let text = try scanner.string()
        guard let known = TensorType(rawValue: text) else {
          throw ServingError(.invalidArgument, "The datatype '\(text.prefix(32))' does not exist.")
        }
        type = known
      case "shape": shape = try sizes(&scanner)
      case "parameters": parameters = try scanner.parameters()
      case "data":
        if let type, let shape {
          content = try TensorDataReader.read(&scanner, tensor: name ?? "", type: type, shape: shape)
        } else {
          later = scanner
          try scanner.skip()
        }
      default: try scanner.skip()
      }
    }
    guard let name else { throw ServingError(.invalidArgument, "An input of the request has no 'name'.") }
    guard let type else { throw ServingError(.invalidArgument, "The input '\(name)' has no 'datatype'.") }
    guard let shape else { throw ServingError(.invalidArgument, "The input '\(name)' has no 'shape'.") }
    _ = try TensorShape.elementCount(shape, tensor: name)
    if var later { content = try TensorDataReader.read(&later, tensor: name, type: type, shape: shape) }

    if parameters["shared_memory_region"] != nil { throw InferenceHead.noSharedMemory(name) }
    let size = try RequestParameters.count("binary_data_size", parameters.removeValue(forKey: "binary_data_size"))
    switch (content, size) {
    case (nil, nil):
      throw ServingError(.invalidArgument, "The input '\(name)' has neither 'data' nor 'binary_data_size'.")
    case (.some, .some):
      throw ServingError(.invalidArgument, "The input '\(name)' has both 'data' and 'binary_data_size'.")
    default: break
    }
    if let size, type != .bytes {
      let expected = try TensorShape.byteCount(shape, type, tensor: name)
      guard size == expected else {
        throw ServingError(
          .invalidArgument,
          "The input '\(name)' of type \(type.rawValue) and shape \(TensorShape.text(shape)) has \(expected) bytes, and 'binary_data_size' is \(size)."
        )
      }
    }
    return InferenceHead.Input(
      name: name, type: type, shape: shape, parameters: parameters, binaryByteCount: size, content: content)
  }

  private static func sizes(_ scanner: inout JSONScanner) throws(ServingError) -> [Int] {
    var shape: [Int] = []
    try scanner.array { scanner throws(ServingError) in
      guard shape.count < TensorShape.highestRank else {
        throw ServingError(.invalidArgument, "A tensor has more than \(TensorShape.highestRank) axes.")
      }
      shape.append(try scanner.count())
    }
    return shape
  }
}
