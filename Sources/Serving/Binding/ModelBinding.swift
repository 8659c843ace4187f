import CoreMLRuntime
import CoreMLServingInterface

/// The inputs and outputs of a model as tensors, in the model's order.
struct ModelBinding: Sendable {
  let inputs: [ServedInput]
  let outputs: [ServedOutput]
  let isStateful: Bool
  private let inputPlaces: [String: Int]
  private let outputPlaces: [String: Int]

  init(_ description: MLModelDescription) {
    inputs = description.inputs.map { ServedInput($0) }
    outputs = description.outputs.map { ServedOutput($0, description) }
    isStateful = description.keepsStates
    inputPlaces = Dictionary(inputs.enumerated().map { ($1.name, $0) }) { first, _ in first }
    outputPlaces = Dictionary(outputs.enumerated().map { ($1.name, $0) }) { first, _ in first }
  }

  func input(named name: String) -> ServedInput? { inputPlaces[name].map { inputs[$0] } }
  func output(named name: String) -> ServedOutput? { outputPlaces[name].map { outputs[$0] } }

  func metadata(name: String, versions: [String]) -> ModelMetadata {
    ModelMetadata(
      name: name, versions: versions, inputs: inputs.map(\.metadata), outputs: outputs.map(\.metadata),
      isStateful: isStateful)
  }

  /// Checks names, types and shapes of a request without reading its elements.
  ///
  /// - Returns: the shapes of the inputs, so that requests with equal shapes may share a run.
  func check(_ request: InferenceRequest) throws(ServingError) -> String {
    var found: Set<String> = []
    var shapes = ""
    for tensor in request.inputs {
      guard let input = input(named: tensor.name) else {
        throw ServingError(
          .invalidArgument,
          "The model '\(request.model)' has no input '\(tensor.name)'; it has \(Self.list(inputs.map(\.name))).")
      }
      guard found.insert(tensor.name).inserted else {
        throw ServingError(.invalidArgument, "The input '\(tensor.name)' is given twice.")
      }
      try input.check(tensor)
      shapes += "\(tensor.name)\(tensor.shape)"
    }
    for input in inputs where !found.contains(input.name) && !input.metadata.isOptional {
      throw ServingError(.invalidArgument, "The input '\(input.name)' is missing.")
    }
    for output in request.outputs {
      guard self.output(named: output.name) != nil else {
        throw ServingError(
          .invalidArgument,
          "The model '\(request.model)' has no output '\(output.name)'; it has \(Self.list(outputs.map(\.name))).")
      }
      guard output.classification >= 0 else {
        throw ServingError(.invalidArgument, "The classification of the output '\(output.name)' is negative.")
      }
    }
    return shapes
  }

  private static func list(_ names: [String]) -> String { names.map { "'\($0)'" }.joined(separator: ", ") }

  /// The outputs that a request asks for; all if it names none.
  func requested(_ request: InferenceRequest) -> [RequestedOutput] {
    request.outputs.isEmpty ? outputs.map { RequestedOutput(name: $0.name) } : request.outputs
  }
}
