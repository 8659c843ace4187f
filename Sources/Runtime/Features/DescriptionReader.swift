import CoreMLBase
import CoreMLImport
import CoreMLSpec
import Foundation
import MIL

/// Converts a model's description from the specification's message to the types of the API.
struct DescriptionReader {
  private let message: Specification.ModelDescription
  private let interface: ModelInterface

  init(_ interface: ModelInterface) throws {
    message = Specification.ModelDescription(Message(interface.description))
    self.interface = interface
  }

  /// Throws if a description of the model cannot be read; loading the model would throw the same error.
  static func check(_ model: ImportedModel) throws {
    let reader = try DescriptionReader(model.interface)
    let functions = try reader.functionNames()
    for name in functions.isEmpty ? ["main"] : functions { _ = try reader.description(function: name) }
  }

  /// The names of a multifunction model's functions.
  func functionNames() throws -> [String] { try message.functions.map { try $0.name } }

  /// The name of the function to load: the requested one, or the model's default.
  func functionName(_ asked: String?) throws -> String {
    let names = try functionNames()
    if let asked {
      guard names.contains(asked) || (names.isEmpty && asked == "main") else {
        throw RuntimeError(
          .invalidInput, "the model has no function '\(asked)'; it has \(names.isEmpty ? ["main"] : names)")
      }
      return asked
    }
    let fallback = try message.defaultFunctionName
    return fallback.isEmpty ? names.first ?? "main" : fallback
  }

  /// - Parameter labels: returns the class labels for a predicted feature, which the program defines.
  func description(function name: String, labels: ((String?) -> [Any]?)? = nil) throws -> MLModelDescription {
    if let function = try message.functions.first(where: { try $0.name == name }) {
      return try description(
        function.input, function.output, function.state, function.predictedFeatureName,
        function.predictedProbabilitiesName, labels)
    }
    return try description(
      message.input, message.output, message.state, message.predictedFeatureName, message.predictedProbabilitiesName,
      labels)
  }

  private func description(
    _ inputs: Views<Specification.FeatureDescription>, _ outputs: Views<Specification.FeatureDescription>,
    _ states: Views<Specification.FeatureDescription>, _ label: String, _ probabilities: String,
    _ labels: ((String?) -> [Any]?)?
  ) throws -> MLModelDescription {
    let classLabels = labels?(label.isEmpty ? nil : label)
    let names = try [inputs, outputs, states].flatMap { try $0.map { try $0.name } }
    if let name = names.firstAmbiguous {
      throw RuntimeError(
        .unsupported, "two features are called '\(name)' and differ in their Unicode composition alone; rename one")
    }
    if let label = (classLabels as? [String])?.firstAmbiguous {
      throw RuntimeError(
        .unsupported,
        "two class labels are '\(label)' and differ in their Unicode composition alone, which no dictionary of probabilities tells apart; rename one"
      )
    }
    return MLModelDescription(
      inputs: try inputs.map(feature), outputs: try outputs.map(feature), states: try states.map(feature),
      predictedFeatureName: label.isEmpty ? nil : label,
      predictedProbabilitiesName: probabilities.isEmpty ? nil : probabilities, metadata: try metadata(),
      classLabels: classLabels?.map(Self.label), isUpdatable: interface.isUpdatable,
      trainingInputs: try message.trainingInput.map(feature),
      parameters: interface.updateParameters.compactMap(\.description))
  }

  /// Converts an integer to `NSNumber`, which can be cast to every integer type.
  private static func label(_ label: Any) -> Any { (label as? Int64).map { NSNumber(value: $0) } ?? label }

  /// The metadata with all standard keys, as on Apple's systems. A missing text is an empty string.
  private func metadata() throws -> [MLModelMetadataKey: Any] {
    let metadata = try message.metadata
    return [
      .description: try metadata?.shortDescription ?? "", .versionString: try metadata?.versionString ?? "",
      .author: try metadata?.author ?? "", .license: try metadata?.license ?? "",
      .creatorDefinedKey: try metadata?.userDefined ?? [:],
    ]
  }

  // MARK: features

  private func feature(_ message: Specification.FeatureDescription) throws -> MLFeatureDescription {
    let name = try message.name
    guard let type = try message.type, let kind = try type.type else {
      throw RuntimeError(.invalidModel, "the feature '\(name)' has no type")
    }
    let isOptional = try type.isOptional
    switch kind {
    case .int64Type: return MLFeatureDescription(name: name, type: .int64, isOptional: isOptional)
    case .doubleType: return MLFeatureDescription(name: name, type: .double, isOptional: isOptional)
    case .stringType: return MLFeatureDescription(name: name, type: .string, isOptional: isOptional)
    case .sequenceType(let sequence):
      return MLFeatureDescription(
        name: name, type: .sequence, isOptional: isOptional, sequenceConstraint: try constraint(sequence))
    case .dictionaryType(let dictionary):
      let keys: MLFeatureType = try dictionary.int64KeyType != nil ? .int64 : .string
      return MLFeatureDescription(
        name: name, type: .dictionary, isOptional: isOptional,
        dictionaryConstraint: MLDictionaryConstraint(keyType: keys))
    case .imageType(let image):
      return MLFeatureDescription(
        name: name, type: .image, isOptional: isOptional, imageConstraint: try constraint(image))
    case .multiArrayType(let array):
      return MLFeatureDescription(
        name: name, type: .multiArray, isOptional: isOptional, multiArrayConstraint: try constraint(array))
    case .stateType(let state):
      guard let array = try state.arrayType else {
        throw RuntimeError(.invalidModel, "the state '\(name)' has no array type")
      }
      let constraint = try constraint(array)
      return MLFeatureDescription(
        name: name, type: .state, isOptional: isOptional,
        stateConstraint: MLStateConstraint(bufferShape: constraint.shape.map(\.intValue), dataType: constraint.dataType)
      )
    }
  }

  /// The names of the image features in BGR order.
  func blueFirst() throws -> Set<String> {
    var names: Set<String> = []
    let features =
      try message.input.map { $0 } + message.output.map { $0 }
      + message.functions.flatMap { try $0.input.map { $0 } + $0.output.map { $0 } }
    for feature in features where try feature.type?.imageType?.colorSpace == .bgr { names.insert(try feature.name) }
    return names
  }
}
