import CoreMLBase
import CoreMLImport
import CoreMLSpec
import Foundation

/// The output of `coremlc metadata` for a model: an object in a list, in the format of `metadata.json` in models
/// compiled by Apple's tools. That format encodes flags, sizes and lists of sizes as strings.
package struct ModelMetadata: Encodable {
  struct Kind: Encodable { let name: String }

  let metadataOutputVersion = "3.0"
  let specificationVersion: Int
  let shortDescription: String?
  let version: String?
  let author: String?
  let license: String?
  let userDefinedMetadata: [String: String]?
  let modelType: Kind
  let isUpdatable: String
  let availability: [String: String]
  let generatedClassName: String
  let inputSchema: [FeatureSchema]
  let outputSchema: [FeatureSchema]
  let stateSchema: [FeatureSchema]
  let trainingInputSchema: [FeatureSchema]?
  let functions: [FunctionSchema]?
  let defaultFunctionName: String?
  let modelParameters: [String] = []
  let mlProgramOperationTypeHistogram: [String: Int]?
  let neuralNetworkLayerTypeHistogram: [String: Int]?
  let computePrecision: String?
  let storagePrecision: String?
  let method = "predict"

  struct FunctionSchema: Encodable {
    let name: String
    let inputSchema: [FeatureSchema]
    let outputSchema: [FeatureSchema]
    let stateSchema: [FeatureSchema]
  }

  /// The text for a model. For a model that Apple's tools compiled it is their own file.
  ///
  /// - Parameter name: The model's name; nil for the name of its file.
  package static func text(modelAt url: URL, named name: String? = nil) throws -> String {
    try ModelBounds.requireSize(url.path)
    if case .compiled(let compiled) = try ModelLocation.open(url.path) {
      try compiled.requireReadable()
      let path = "\(compiled.path)/metadata.json"
      if !compiled.isOwn, FileManager.default.fileExists(atPath: path) {
        _ = try MetadataSchema.open(path)
        return String(decoding: try Bytes.mapping(file: path).array, as: UTF8.self)
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode([try ModelMetadata(modelAt: url, named: name)]), as: UTF8.self)
  }

  private init(modelAt url: URL, named name: String?) throws {
    let source = try ModelSource(url, whole: false)
    let model = try ModelClass(source, named: name ?? url.deletingPathExtension().lastPathComponent)
    specificationVersion = model.specificationVersion
    (shortDescription, version) = (model.summary.orNil, model.version.orNil)
    (author, license) = (model.author.orNil, model.license.orNil)
    let more = try source.description.metadata?.userDefined ?? [:]
    userDefinedMetadata = more.isEmpty ? nil : more
    modelType = Kind(name: "MLModelType_\(source.modelType)")
    isUpdatable = source.isUpdatable ? "1" : "0"
    let systems = Availability.of(model.specificationVersion).systems
    var availability = Dictionary(uniqueKeysWithValues: systems.map { ($0.name, $0.version) })
    availability["macCatalyst"] = availability["iOS"]
    self.availability = availability
    generatedClassName = model.name
    let main = model.defaultFunction
    inputSchema = main.inputs.map(FeatureSchema.init)
    outputSchema = main.outputs.map(FeatureSchema.init)
    stateSchema = main.states.map(FeatureSchema.init)
    trainingInputSchema = model.trainingInputs.isEmpty ? nil : model.trainingInputs.map(FeatureSchema.init)
    let isMultifunction = try !source.description.functions.isEmpty
    functions =
      isMultifunction
      ? model.functions.map {
        FunctionSchema(
          name: $0.name, inputSchema: $0.inputs.map(FeatureSchema.init),
          outputSchema: $0.outputs.map(FeatureSchema.init),
          stateSchema: $0.states.map(FeatureSchema.init))
      } : nil
    defaultFunctionName = isMultifunction ? main.name : nil
    let contents = try ModelStatistics(source.file)
    mlProgramOperationTypeHistogram = contents.operations
    neuralNetworkLayerTypeHistogram = contents.layers
    computePrecision = contents.computePrecision
    storagePrecision = contents.storagePrecision
  }
}

extension CompiledModel {
  fileprivate var isOwn: Bool { if case .own = kind { true } else { false } }
}
