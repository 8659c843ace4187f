/// Feature types in Swift, and their conversions to and from feature values.
extension NamedFeature {
  /// The name in code.
  var swiftName: String { SwiftNames.written(identifier) }

  /// The name as an argument label.
  var swiftLabel: String { SwiftNames.label(identifier) }

  /// The type of the property, without the optional marker.
  var swiftType: String { Self.swiftType(kind) }

  private static func swiftType(_ kind: FeatureKind) -> String {
    switch kind {
    case .int64: "Int64"
    case .double: "Double"
    case .string: "String"
    case .image: "CVPixelBuffer"
    case .multiArray, .state: "MLMultiArray"
    case .dictionary(.string): "[String : Double]"
    case .dictionary(.int64): "[Int64 : Double]"
    case .sequence: "MLSequence"
    }
  }

  /// The scalar type of a multi-array; nil for other features.
  var swiftScalar: String? {
    guard case .multiArray(let array) = kind else { return nil }
    switch array.element {
    case .float16: return "Float16"
    case .float32: return "Float"
    case .double: return "Double"
    case .int32: return "Int32"
    case .int8: return "Int8"
    }
  }

  /// The systems that support shaped arrays of this scalar type.
  var swiftShapedAvailability: SwiftAvailability.Member {
    switch swiftScalar {
    case "Float16": .halfArrays
    case "Int8": .byteArrays
    default: .shapedArrays
    }
  }

  var isImage: Bool { if case .image = kind { true } else { false } }

  /// The feature value of an expression.
  func swiftValue(of expression: String) -> String {
    switch kind {
    case .int64: "MLFeatureValue(int64: \(expression))"
    case .double: "MLFeatureValue(double: \(expression))"
    case .string: "MLFeatureValue(string: \(expression))"
    case .image: "MLFeatureValue(pixelBuffer: \(expression))"
    case .multiArray, .state: "MLFeatureValue(multiArray: \(expression))"
    case .dictionary: "\(SwiftNames.tryForced) MLFeatureValue(dictionary: \(expression) as [AnyHashable : NSNumber])"
    case .sequence: "MLFeatureValue(sequence: \(expression))"
    }
  }

  /// The content of a feature value.
  func swiftContent(of expression: String) -> String {
    switch kind {
    case .int64: "\(expression).int64Value"
    case .double: "\(expression).doubleValue"
    case .string: "\(expression).stringValue"
    case .image: "\(expression).imageBufferValue!"
    case .multiArray, .state: "\(expression).multiArrayValue!"
    case .dictionary: "\(expression).dictionaryValue \(SwiftNames.asForced) \(swiftType)"
    case .sequence: "\(expression).sequenceValue!"
    }
  }

  /// The content of a feature value `$0`; nil if it is undefined.
  var swiftOptionalContent: String {
    switch kind {
    case .image: "$0.imageBufferValue"
    case .multiArray, .state: "$0.multiArrayValue"
    case .sequence: "$0.sequenceValue"
    case .int64, .double, .string, .dictionary: "$0.isUndefined ? nil : \(swiftContent(of: "$0"))"
    }
  }

  /// The pixel format that pictures are converted to.
  var swiftPictureFormat: String {
    guard case .image(let image) = kind, image.pixels != .rgb, image.pixels != .bgr else {
      return "kCVPixelFormatType_32ARGB"
    }
    return image.pixelFormat
  }
}
