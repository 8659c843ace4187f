import CoreMLErrors
import CoreMLImport
import CoreMLSpec
import Foundation

extension ModelClass {
  /// Reads what a model's file says of itself: a `.mlmodel`, a `.mlpackage` or a `.mlmodelc`.
  ///
  /// - Parameters:
  ///   - name: what the class is called; made of the file's name where nil.
  ///   - withLabels: whether the classes of a classifier are read, for which the whole model is.
  package init(modelAt url: URL, name: String? = nil, withLabels: Bool = false) throws {
    if let name, !Identifier.isIdentifier(name) {
      throw RuntimeError(
        .invalidInput, "the class is to be called \(name.debugDescription), expected letters, digits and underscores")
    }
    let source = try ModelSource(url, whole: withLabels)
    resource = url.deletingPathExtension().lastPathComponent
    self.name = name ?? Identifier.of(resource)
    specificationVersion = source.specificationVersion
    let description = source.description
    let metadata = try description.metadata
    summary = try metadata?.shortDescription ?? ""
    author = try metadata?.author ?? ""
    license = try metadata?.license ?? ""
    version = try metadata?.versionString ?? ""
    functions = try Self.functions(description)
    trainingInputs = source.isUpdatable ? try FeatureReader.features(description.trainingInput, "training input") : []
    if withLabels {
      for index in functions.indices { functions[index].labels = source.labels(of: functions[index]) }
    }
  }

  /// The default function comes first.
  private static func functions(_ description: Specification.ModelDescription) throws -> [ModelFunction] {
    var functions = try description.functions.map {
      ModelFunction(
        name: try $0.name, inputs: try FeatureReader.features($0.input, "input"),
        outputs: try FeatureReader.features($0.output, "output"),
        states: try FeatureReader.features($0.state, "state"), predicted: try $0.predictedFeatureName.orNil,
        probabilities: try $0.predictedProbabilitiesName.orNil)
    }
    if functions.isEmpty {
      functions = [
        ModelFunction(
          name: "main", inputs: try FeatureReader.features(description.input, "input"),
          outputs: try FeatureReader.features(description.output, "output"),
          states: try FeatureReader.features(description.state, "state"),
          predicted: try description.predictedFeatureName.orNil,
          probabilities: try description.predictedProbabilitiesName.orNil)
      ]
    }
    let fallback = try description.defaultFunctionName
    if let index = functions.firstIndex(where: { $0.name == fallback }) {
      functions.insert(functions.remove(at: index), at: 0)
    }
    return functions
  }
}

extension String {
  /// The text, nil where it is empty.
  var orNil: String? { isEmpty ? nil : self }
}
