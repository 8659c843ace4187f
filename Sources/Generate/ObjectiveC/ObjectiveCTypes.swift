/// Feature types in Objective-C, and their conversions to and from feature values.
extension NamedFeature {
  /// Optional scalars are objects.
  private var isScalar: Bool { !isOptional && (kind == .int64 || kind == .double) }

  var objectiveCType: String {
    let type =
      switch kind {
      case .int64: isOptional ? "NSNumber *" : "int64_t"
      case .double: isOptional ? "NSNumber *" : "double"
      case .string: "NSString *"
      case .image: "CVPixelBufferRef"
      case .multiArray, .state: "MLMultiArray *"
      case .dictionary(.string): "NSDictionary<NSString *, NSNumber *> *"
      case .dictionary(.int64): "NSDictionary<NSNumber *, NSNumber *> *"
      case .sequence: "MLSequence *"
      }
    return isOptional ? "\(type) _Nullable" : type
  }

  /// `@property (...) TYPE name;`
  var objectiveCProperty: String {
    // Buffers are not objects, so they are retained by hand.
    let attributes = isScalar || isImage ? "readwrite, nonatomic" : "readwrite, nonatomic, strong"
    let type = objectiveCType
    return "@property (\(attributes)) \(type)\(type.hasSuffix("*") ? "" : " ")\(identifier);"
  }

  /// The feature value of an expression.
  func objectiveCValue(of expression: String) -> String {
    switch kind {
    case .int64: "[MLFeatureValue featureValueWithInt64:\(isOptional ? "\(expression).longLongValue" : expression)]"
    case .double: "[MLFeatureValue featureValueWithDouble:\(isOptional ? "\(expression).doubleValue" : expression)]"
    case .string: "[MLFeatureValue featureValueWithString:\(expression)]"
    case .image: "[MLFeatureValue featureValueWithPixelBuffer:\(expression)]"
    case .multiArray, .state: "[MLFeatureValue featureValueWithMultiArray:\(expression)]"
    case .dictionary: "[MLFeatureValue featureValueWithDictionary:\(expression) error:nil]"
    case .sequence: "[MLFeatureValue featureValueWithSequence:\(expression)]"
    }
  }

  /// The content of a feature value.
  func objectiveCContent(of expression: String) -> String {
    let member = "[\(expression) \(content)]"
    switch kind {
    case .int64 where isOptional, .double where isOptional:
      return "\(expression) == nil ? nil : @(\(member))"
    case .dictionary: return "(\(objectiveCType))\(member)"
    default: return member
    }
  }

  private var content: String {
    switch kind {
    case .int64: "int64Value"
    case .double: "doubleValue"
    case .string: "stringValue"
    case .image: "imageBufferValue"
    case .multiArray, .state: "multiArrayValue"
    case .dictionary: "dictionaryValue"
    case .sequence: "sequenceValue"
    }
  }
}
