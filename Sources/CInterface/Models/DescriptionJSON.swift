import CoreMLImages
import CoreMLRuntime
import Foundation

/// The JSON of `coreml_model_describe`.
struct DescriptionJSON: Encodable {
  let function: String
  let functions: [String]
  let inputs: [Feature]
  let outputs: [Feature]
  let states: [Feature]
  let trainingInputs: [Feature]
  let predictedFeatureName: String?
  let predictedProbabilitiesName: String?
  let classLabels: [Label]?
  let metadata: [String: String]
  let isUpdatable: Bool
  let parameters: [Parameter]

  init(_ model: MLModel) throws {
    let description = model.modelDescription
    function = try model.functionName
    functions = try model.functionNames
    inputs = description.inputs.map(Feature.init)
    outputs = description.outputs.map(Feature.init)
    states = description.states.map(Feature.init)
    trainingInputs = description.trainingInputs.map(Feature.init)
    predictedFeatureName = description.predictedFeatureName
    predictedProbabilitiesName = description.predictedProbabilitiesName
    classLabels = description.classLabels?.map(Label.init)
    metadata = description.words
    isUpdatable = description.isUpdatable
    parameters = description.parameterDescriptionsByKey.values.map(Parameter.init).sorted { $0.name < $1.name }
  }

  /// A string or an integer.
  struct Label: Encodable {
    let label: Any

    init(_ label: Any) { self.label = label }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if let text = label as? String { try container.encode(text) } else { try container.encode(label as? Int) }
    }
  }

  struct Parameter: Encodable {
    let name: String
    let scope: String?
    let defaultValue: Double?
    let minimum: Double?
    let maximum: Double?
    let allowed: [Double]?

    init(_ parameter: MLParameterDescription) {
      name = parameter.key.name
      scope = parameter.key.scope
      defaultValue = (parameter.defaultValue as? NSNumber)?.doubleValue
      minimum = parameter.numericConstraint?.minNumber.doubleValue
      maximum = parameter.numericConstraint?.maxNumber.doubleValue
      allowed = parameter.numericConstraint?.enumeratedNumbers?.map(\.doubleValue).sorted()
    }
  }

  /// A feature. Members that do not apply to its kind are omitted.
  struct Feature: Encodable {
    let name: String
    let kind: String
    let isOptional: Bool
    var element: String?
    var flexibility: String?
    var shape: [Int]?
    var shapes: [[Int]]?
    /// The minimum and maximum of each axis; null for no limit.
    var ranges: [[Int?]]?
    var pixels: String?
    var width: Int?
    var height: Int?
    var key: String?
    var counts: [Int?]?

    init(_ feature: MLFeatureDescription) {
      name = feature.name
      kind = feature.type.word
      isOptional = feature.mayBeLeftOut
      if let constraint = feature.multiArrayConstraint { fill(constraint) }
      if let constraint = feature.stateConstraint {
        (element, flexibility, shape) = (constraint.dataType.word, "fixed", constraint.bufferShape)
      }
      if let constraint = feature.imageConstraint { fill(constraint) }
      if let constraint = feature.dictionaryConstraint { key = "\(constraint.keyType)" }
      if let constraint = feature.sequenceConstraint {
        key = "\(constraint.valueDescription.type)"
        counts = Self.ends(constraint.countRange, excluded: 0)
      }
    }

    private mutating func fill(_ constraint: MLMultiArrayConstraint) {
      element = constraint.dataType.word
      shape = constraint.shape.map(\.intValue)
      switch constraint.shapeConstraint.type {
      case .unspecified: flexibility = "fixed"
      case .enumerated:
        flexibility = "enumerated"
        shapes = constraint.shapeConstraint.enumeratedShapes.map { $0.map(\.intValue) }
      case .range:
        flexibility = "range"
        ranges = constraint.shapeConstraint.sizeRangeForDimension.map { Self.ends($0.rangeValue, excluded: 1) }
      }
    }

    private mutating func fill(_ constraint: MLImageConstraint) {
      pixels = Self.word(constraint.pixelFormatType)
      (width, height) = (constraint.pixelsWide, constraint.pixelsHigh)
      let sizes = constraint.sizeConstraint
      switch sizes.type {
      case .unspecified: flexibility = "fixed"
      case .enumerated:
        flexibility = "enumerated"
        shapes = sizes.enumeratedImageSizes.map { [$0.pixelsHigh, $0.pixelsWide] }
      case .range:
        flexibility = "range"
        ranges = [sizes.pixelsHighRange, sizes.pixelsWideRange].map { Self.ends($0, excluded: 1) }
      }
    }

    private static func ends(_ range: NSRange, excluded: Int) -> [Int?] {
      let (end, overflow) = range.location.addingReportingOverflow(range.length)
      return [range.location, overflow || end == .max ? nil : end - excluded]
    }

    private static func word(_ format: UInt32) -> String {
      switch format {
      case kCVPixelFormatType_32BGRA: "BGRA"
      case kCVPixelFormatType_32ARGB: "ARGB"
      case kCVPixelFormatType_OneComponent8: "GRAY8"
      case kCVPixelFormatType_OneComponent16Half: "GRAY16F"
      default: "\(format)"
      }
    }
  }
}

extension MLMultiArrayDataType {
  var word: String {
    switch self {
    case .double: "float64"
    case .float32: "float32"
    case .float16: "float16"
    case .int32: "int32"
    case .int8: "int8"
    }
  }
}
