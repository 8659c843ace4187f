import CoreMLBase
import CoreMLImport
import CoreMLSpec
import Foundation

extension ModelClass {
  /// Reads the description in a model file: a `.mlmodel`, a `.mlpackage` or a `.mlmodelc`.
  ///
  /// - Parameters:
  ///   - modelName: The model's name; nil for the name of its file.
  ///   - name: The class's name; nil to derive it from the model's name.
  ///   - withLabels: Whether to read the labels of a classifier, which requires reading the whole model.
  package init(modelAt url: URL, named modelName: String? = nil, name: String? = nil, withLabels: Bool = false) throws {
    if let name, !Identifier.isIdentifier(name) {
      throw RuntimeError(
        .invalidInput, "the class is to be called \(name.debugDescription), expected letters, digits and underscores")
    }
    let source = try ModelSource(url, whole: withLabels)
    try self.init(source, named: modelName ?? url.deletingPathExtension().lastPathComponent, name: name)
    if withLabels {
      for index in functions.indices { functions[index].labels = source.labels(of: functions[index]) }
    }
  }

  init(_ source: ModelSource, named modelName: String, name: String? = nil) throws {
    resource = modelName
    self.name = name ?? Identifier.of(resource)
    specificationVersion = source.specificationVersion
    let description = source.description
    let metadata = try description.metadata
    summary = try metadata?.shortDescription ?? ""
    author = try metadata?.author ?? ""
    license = try metadata?.license ?? ""
    version = try metadata?.versionString ?? ""
    functions = try Self.functions(description)
    trainingInputs =
      source.isUpdatable ? try InterfaceFeatures.features(description.trainingInput, "training input") : []
  }

  /// The functions, with the default function first. Names must be distinct, as a configuration selects a function by
  /// name.
  private static func functions(_ description: Specification.ModelDescription) throws -> [ModelFunction] {
    var functions = try description.functions.map {
      ModelFunction(
        name: try $0.name, inputs: try InterfaceFeatures.features($0.input, "input"),
        outputs: try InterfaceFeatures.features($0.output, "output"),
        states: try InterfaceFeatures.features($0.state, "state"), predicted: try $0.predictedFeatureName.orNil,
        probabilities: try $0.predictedProbabilitiesName.orNil)
    }
    if functions.isEmpty {
      functions = [
        ModelFunction(
          name: "main", inputs: try InterfaceFeatures.features(description.input, "input"),
          outputs: try InterfaceFeatures.features(description.output, "output"),
          states: try InterfaceFeatures.features(description.state, "state"),
          predicted: try description.predictedFeatureName.orNil,
          probabilities: try description.predictedProbabilitiesName.orNil)
      ]
    }
    var seen: Set<String> = []
    for function in functions where !seen.insert(function.name).inserted {
      throw RuntimeError(.invalidModel, "the model has two functions of the name \(function.name.debugDescription)")
    }
    let fallback = try description.defaultFunctionName
    if let index = functions.firstIndex(where: { $0.name == fallback }) {
      functions.insert(functions.remove(at: index), at: 0)
    }
    return functions
  }
}

extension String {
  /// The text; nil if it is empty.
  var orNil: String? { isEmpty ? nil : self }
}
