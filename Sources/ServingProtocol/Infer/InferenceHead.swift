import CoreMLServingInterface

/// The JSON of an inference request: everything but the tensors that follow it as bytes.
package struct InferenceHead: Sendable {
  package struct Input: Sendable {
    package var name: String
    package var type: TensorType
    package var shape: [Int]
    package var parameters: [String: ParameterValue]
    /// The tensor follows the JSON with this many bytes; nil if its `data` is in the JSON.
    package var binaryByteCount: Int?
    /// The elements of the JSON's `data`.
    package var content: ServingTensor.Content?
  }

  package struct Output: Sendable {
    package var request: RequestedOutput
    /// Whether the tensor is to follow the answer's JSON as bytes; nil: as the request says for all outputs.
    package var isBinary: Bool?
  }

  package var id: String?
  package var parameters: [String: ParameterValue] = [:]
  package var inputs: [Input] = []
  package var outputs: [Output] = []

  /// The bytes of all tensors that follow the JSON.
  ///
  /// - Throws: If the sum overflows.
  package func binaryByteCount() throws(ServingError) -> Int {
    var sum = 0
    for input in inputs {
      let (next, overflow) = sum.addingReportingOverflow(input.binaryByteCount ?? 0)
      guard !overflow else { throw ServingError(.invalidArgument, "The sizes of the tensors are too large.") }
      sum = next
    }
    return sum
  }

  static func noSharedMemory(_ tensor: String) -> ServingError {
    ServingError(.invalidArgument, "The tensor '\(tensor)' is in shared memory, which this server does not use.")
  }

  /// The most inputs and outputs of a request.
  static let mostTensors = 1024

  init() {}

  package init(json text: UnsafeRawBufferPointer) throws(ServingError) {
    var scanner = JSONScanner(text)
    guard scanner.peek() != nil else { throw ServingError(.invalidArgument, "The request has no body.") }
    var hasInputs = false
    try scanner.object { name, scanner throws(ServingError) in
      switch name {
      case "id": id = try Self.identifier(&scanner)
      case "parameters": parameters = try scanner.parameters()
      case "inputs":
        hasInputs = true
        try scanner.array { scanner throws(ServingError) in
          try Self.limit(inputs.count)
          inputs.append(try InputReader.read(&scanner))
          if inputs.last?.type == .bytes { try TensorDataReader.checkByteStrings(inputs.lazy.map(\.content)) }
        }
      case "outputs":
        try scanner.array { scanner throws(ServingError) in
          try Self.limit(outputs.count)
          outputs.append(try Self.output(&scanner))
        }
      default: try scanner.skip()
      }
    }
    try scanner.expectEnd()
    guard hasInputs else { throw ServingError(.invalidArgument, "The request has no 'inputs'.") }
    var names: Set<String> = []
    for input in inputs where !names.insert(input.name).inserted {
      throw ServingError(.invalidArgument, "The request has two inputs '\(input.name)'.")
    }
    names = []
    for output in outputs where !names.insert(output.request.name).inserted {
      throw ServingError(.invalidArgument, "The request asks twice for the output '\(output.request.name)'.")
    }
  }

  private static func limit(_ count: Int) throws(ServingError) {
    guard count < mostTensors else {
      throw ServingError(.invalidArgument, "The request has more than \(mostTensors) inputs or outputs.")
    }
  }

  /// Some clients send a number.
  private static func identifier(_ scanner: inout JSONScanner) throws(ServingError) -> String? {
    switch try scanner.parameter() {
    case .text(let text): return text
    case .integer(let value): return String(value)
    case nil: return nil
    default: throw ServingError(.invalidArgument, "The 'id' of the request is not a string.")
    }
  }

  private static func output(_ scanner: inout JSONScanner) throws(ServingError) -> Output {
    var (name, parameters): (String?, [String: ParameterValue]) = (nil, [:])
    try scanner.object { field, scanner throws(ServingError) in
      switch field {
      case "name": name = try scanner.string()
      case "parameters": parameters = try scanner.parameters()
      default: try scanner.skip()
      }
    }
    guard let name else { throw ServingError(.invalidArgument, "An output of the request has no 'name'.") }
    if parameters["shared_memory_region"] != nil { throw InferenceHead.noSharedMemory(name) }
    let classes = try RequestParameters.count("classification", parameters.removeValue(forKey: "classification")) ?? 0
    let isBinary = try RequestParameters.flag("binary_data", parameters.removeValue(forKey: "binary_data"))
    return Output(
      request: RequestedOutput(name: name, classification: classes, parameters: parameters), isBinary: isBinary)
  }
}
