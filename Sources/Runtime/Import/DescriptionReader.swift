import CoreMLImages
import CoreMLSpec
import Foundation
import MIL

/// Reads a model's description from the specification's message into the API's values.
struct DescriptionReader {
  private let message: Specification.ModelDescription
  private let interface: ModelInterface

  init(_ interface: ModelInterface) throws {
    message = Specification.ModelDescription(Message(interface.description))
    self.interface = interface
  }

  /// The function to load: the asked one, or the model's default.
  func functionName(_ asked: String?) throws -> String {
    let names = try message.functions.map { try $0.name }
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

  func description(function name: String) throws -> MLModelDescription {
    if let function = try message.functions.first(where: { try $0.name == name }) {
      return try description(
        function.input, function.output, function.state, function.predictedFeatureName,
        function.predictedProbabilitiesName)
    }
    return try description(
      message.input, message.output, message.state, message.predictedFeatureName, message.predictedProbabilitiesName)
  }

  private func description(
    _ inputs: Views<Specification.FeatureDescription>, _ outputs: Views<Specification.FeatureDescription>,
    _ states: Views<Specification.FeatureDescription>, _ label: String, _ probabilities: String
  ) throws -> MLModelDescription {
    MLModelDescription(
      inputs: try inputs.map(feature), outputs: try outputs.map(feature), states: try states.map(feature),
      predictedFeatureName: label.isEmpty ? nil : label,
      predictedProbabilitiesName: probabilities.isEmpty ? nil : probabilities, metadata: try metadata(),
      classLabels: nil)
  }

  private func metadata() throws -> [MLModelMetadataKey: Any] {
    guard let metadata = try message.metadata else { return [:] }
    var result: [MLModelMetadataKey: Any] = [:]
    for (key, text) in [
      (MLModelMetadataKey.description, try metadata.shortDescription), (.versionString, try metadata.versionString),
      (.author, try metadata.author), (.license, try metadata.license),
    ] where !text.isEmpty { result[key] = text }
    let own = try metadata.userDefined
    if !own.isEmpty { result[.creatorDefinedKey] = own }
    return result
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
    case .sequenceType: return MLFeatureDescription(name: name, type: .sequence, isOptional: isOptional)
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

  private func constraint(_ array: Specification.ArrayFeatureType) throws -> MLMultiArrayConstraint {
    var shape = try array.shape.map { NSNumber(value: $0) }
    var enumerated: [[NSNumber]] = []
    var ranges: [NSRange] = []
    var kind = MLMultiArrayShapeConstraint.Kind.unspecified
    switch try array.shapeFlexibility {
    case .enumeratedShapes(let shapes):
      kind = .enumerated
      enumerated = try shapes.shapes.map { try $0.shape.map { NSNumber(value: $0) } }
      if shape.isEmpty { shape = enumerated.first ?? [] }
    case .shapeRange(let range):
      kind = .range
      ranges = try range.sizeRanges.map { Self.range(try $0.lowerBound, try $0.upperBound) }
      if shape.isEmpty { shape = ranges.map { NSNumber(value: $0.location) } }
    case nil: break
    }
    let fill: Double?
    switch try array.defaultOptionalValue {
    case .intDefaultValue(let value): fill = Double(value)
    case .floatDefaultValue(let value): fill = Double(value)
    case .doubleDefaultValue(let value): fill = value
    case nil: fill = nil
    }
    let type: MLMultiArrayDataType
    switch try array.dataType {
    case .float32, .invalidArrayDataType: type = .float32
    case .double: type = .double
    case .int32: type = .int32
    case .int8: type = .int8
    case .float16: type = .float16
    }
    return MLMultiArrayConstraint(
      shape: shape, dataType: type,
      shapeConstraint: MLMultiArrayShapeConstraint(
        type: kind, sizeRangeForDimension: ranges, enumeratedShapes: enumerated),
      defaultValue: fill)
  }

  private static func range(_ lower: UInt64, _ upper: Int64) -> NSRange {
    let location = Int(clamping: lower)
    return NSRange(
      location: location, length: upper < 0 ? Int.max - location : Swift.max(Int(clamping: upper) - location + 1, 0))
  }

  private func constraint(_ image: Specification.ImageFeatureType) throws -> MLImageConstraint {
    let width = Int(clamping: try image.width)
    let height = Int(clamping: try image.height)
    let format: UInt32
    switch try image.colorSpace {
    case .grayscale: format = kCVPixelFormatType_OneComponent8
    case .grayscaleFloat16: format = kCVPixelFormatType_OneComponent16Half
    default: format = kCVPixelFormatType_32BGRA
    }
    switch try image.sizeFlexibility {
    case .enumeratedSizes(let sizes):
      let all = try sizes.sizes.map { (Int(clamping: try $0.width), Int(clamping: try $0.height)) }
      return MLImageConstraint(pixelsHigh: height, pixelsWide: width, pixelFormatType: format) { wide, high in
        all.contains { $0 == (wide, high) } || (wide == width && high == height)
      }
    case .imageSizeRange(let range):
      let wide = Self.range(try range.widthRange?.lowerBound ?? 0, try range.widthRange?.upperBound ?? -1)
      let high = Self.range(try range.heightRange?.lowerBound ?? 0, try range.heightRange?.upperBound ?? -1)
      return MLImageConstraint(pixelsHigh: height, pixelsWide: width, pixelFormatType: format) {
        wide.contains($0) && high.contains($1)
      }
    case nil:
      return MLImageConstraint(pixelsHigh: height, pixelsWide: width, pixelFormatType: format) {
        $0 == width && $1 == height
      }
    }
  }

  /// Names of image features whose channels come blue first.
  func blueFirst() throws -> Set<String> {
    var names: Set<String> = []
    let features =
      try message.input.map { $0 } + message.output.map { $0 }
      + message.functions.flatMap { try $0.input.map { $0 } + $0.output.map { $0 } }
    for feature in features where try feature.type?.imageType?.colorSpace == .bgr { names.insert(try feature.name) }
    return names
  }
}
