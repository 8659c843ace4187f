import CoreMLBase
import CoreMLSpec
import MIL

/// How features map to values of a program, except where a network has its own conventions.
package enum FeatureTypes {
  /// The type of a feature's value. An array without a declared shape has the axes `undeclared`.
  package static func type(
    of feature: Specification.FeatureDescription, undeclared: [Dimension] = [.unknown]
  ) throws -> ValueType {
    let name = try feature.name
    switch try feature.type?.type {
    case .int64Type: return .tensor(TensorType(.int64, [Int]()))
    case .doubleType: return .tensor(TensorType(.float64, [Int]()))
    case .stringType: return .tensor(TensorType(.string, [Int]()))
    case .sequenceType(let sequence):
      return .tensor(TensorType(try sequence.int64Type != nil ? .int64 : .string, [.unknown]))
    case .dictionaryType(let dictionary):
      let key = TensorType(try dictionary.int64KeyType != nil ? .int64 : .string, [Int]())
      return .dictionary(key: .tensor(key), value: .tensor(TensorType(.float64, [Int]())))
    case .multiArrayType(let array):
      let shape = try FeatureShapes.dimensions(of: array)
      return .tensor(
        try TensorType(scalar(array), shape.isEmpty ? undeclared : shape).validated("the feature '\(name)'"))
    case .imageType(let image): return .tensor(try type(of: image).validated("the feature '\(name)'"))
    case .stateType: throw RuntimeError(.unsupported, "the feature '\(name)' is a state, which only programs have")
    case nil: throw RuntimeError(.invalidModel, "the feature '\(name)' has no type")
    }
  }

  static func type(of image: Specification.ImageFeatureType) throws -> TensorType {
    let channels: Dimension = try [.grayscale, .grayscaleFloat16].contains(image.colorSpace) ? 1 : 3
    let isFlexible = try image.sizeFlexibility != nil
    let height = isFlexible ? Dimension.unknown : Dimension(Int(clamping: try image.height))
    let width = isFlexible ? Dimension.unknown : Dimension(Int(clamping: try image.width))
    return TensorType(.float32, [1, channels, height, width])
  }

  private static func scalar(_ array: Specification.ArrayFeatureType) throws -> ScalarType {
    switch try array.dataType {
    case .float32: .float32
    case .float16: .float16
    case .int32: .int32
    case .int8: .int8
    case .double, .invalidArrayDataType: .float64
    }
  }

  // MARK: presence

  private static let presenceSuffix = "__given"

  /// The name of the boolean input that says whether an optional feature is present, for models in which no value can
  /// represent its absence.
  static func presence(of feature: String) -> String { feature + presenceSuffix }

  /// The feature to which such an input refers; nil for any other name.
  package static func feature(ofPresence name: String) -> String? {
    name.hasSuffix(presenceSuffix) ? String(name.dropLast(presenceSuffix.count)) : nil
  }
}
