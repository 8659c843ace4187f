import CoreML
import Testing

/// Descriptions, constraints and configurations are equal after archiving and unarchiving.
@Suite struct DescriptionArchiveTests {
  private static let models = [
    "digits/Digits.mlmodel", "models/states/decoder.mlpackage", "models/rangePicture.mlmodel",
    "models/enumeratedPicture.mlmodel", "models/enumeratedArray.mlmodel", "models/optionalInput.mlmodel",
    "interface/kinds.mlmodel", "models/picturePipeline.mlmodel", "models/detector.mlmodel",
  ]

  private static func copy<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object? {
    let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    return try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
  }

  @Test(arguments: models) func descriptionsComeBack(_ path: String) async throws {
    let url = try await MLModel.compileModel(at: SampleCodeChecks.cases().appending(path: path))
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let asset = try MLModelAsset(url: url)
    let description = try await asset.modelDescription
    let read = try #require(try Self.copy(description))
    #expect(read == description && "\(read)" == "\(description)" && read !== description)
    #expect(read.parameterDescriptionsByKey == description.parameterDescriptionsByKey)
    #expect(read.inputDescriptionsByName == description.inputDescriptionsByName)
    #expect(read.outputDescriptionsByName == description.outputDescriptionsByName)
    #expect(read.stateDescriptionsByName == description.stateDescriptionsByName)
    #expect(read.trainingInputDescriptionsByName == description.trainingInputDescriptionsByName)
    #expect(
      read.metadata.keys == description.metadata.keys && read.classLabels?.count == description.classLabels?.count)
    for feature in description.inputDescriptionsByName.values { #expect(try Self.copy(feature) == feature) }
    for feature in Array(description.inputDescriptionsByName.values)
      + Array(description.outputDescriptionsByName.values)
    {
      if let part = feature.multiArrayConstraint {
        #expect(try Self.copy(part) == part && Self.copy(part.shapeConstraint) == part.shapeConstraint)
      }
      if let part = feature.imageConstraint {
        #expect(try Self.copy(part) == part && Self.copy(part.sizeConstraint) == part.sizeConstraint)
      }
      if let part = feature.dictionaryConstraint { #expect(try Self.copy(part) == part) }
      if let part = feature.sequenceConstraint { #expect(try Self.copy(part) == part) }
      if let part = feature.stateConstraint { #expect(try Self.copy(part) == part) }
    }
    for parameter in description.parameterDescriptionsByKey.values { #expect(try Self.copy(parameter) == parameter) }
    // A cast extracts ranges from values, as on Apple's systems.
    for feature in description.inputDescriptionsByName.values {
      guard let ranges = feature.multiArrayConstraint?.shapeConstraint.sizeRangeForDimension else { continue }
      #expect((ranges as? [NSRange])?.count == ranges.count)
    }
  }

  @Test func configurationsComeBack() throws {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuAndGPU
    configuration.functionName = "f"
    configuration.modelDisplayName = "name"
    configuration.optimizationHints.precision = .low
    configuration.threads = 3
    configuration.memoryLimit = 1 << 30
    configuration.limits = RuntimeLimits()
    configuration.limits?.predictionTime = 2.5
    configuration.parameters = [.epochs: 3, .learningRate: 0.25, .shuffle: true, .linkedModelFileName: "a"]
    let read = try #require(try Self.copy(configuration))
    #expect(read.computeUnits == .cpuAndGPU && read.functionName == "f" && read.modelDisplayName == "name")
    #expect(read.optimizationHints == configuration.optimizationHints && read.threads == 3)
    #expect(read.memoryLimit == 1 << 30 && read.limits == configuration.limits && read.allowsFusion)
    #expect(read.parameters?.count == 4 && read.parameters?[.epochs] as? Int == 3)
    #expect(read.parameters?[.learningRate] as? Double == 0.25 && read.parameters?[.shuffle] as? Bool == true)
    #expect(read.parameters?[.linkedModelFileName] as? String == "a")
    let plain = try #require(try Self.copy(MLModelConfiguration()))
    #expect(plain.parameters == nil && plain.limits == nil && plain.threads == nil && plain.computeUnits == .all)
  }

  /// Archives of other content, and archives of impossible values.
  @Test func whatCannotBeIsNotRead() throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode(1, forKey: "type")
    archiver.encode([NSNumber(value: -3), NSNumber(value: Int.max)] as NSArray, forKey: "ranges")
    archiver.encode([] as NSArray, forKey: "shapes")
    archiver.finishEncoding()
    let reader = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(MLMultiArrayShapeConstraint(coder: reader) == nil)
    #expect(MLFeatureDescription(coder: reader) == nil && MLModelConfiguration(coder: reader) == nil)
    #expect(MLModelDescription(coder: reader) == nil && MLImageConstraint(coder: reader) == nil)
  }
}
