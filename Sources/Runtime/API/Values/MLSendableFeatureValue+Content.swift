extension MLSendableFeatureValue {
  /// Whether the value has a type but no content.
  public var isUndefined: Bool { content == nil }

  /// Whether the value is a single number.
  public var isScalar: Bool {
    switch content {
    case .integer, .half, .float, .double: true
    default: false
    }
  }

  /// Whether the value is a shaped array.
  public var isShapedArray: Bool { !isUndefined && type == .multiArray }

  /// The number, if the value was created from an integer.
  public var integerValue: Int? { if case .integer(let value)? = content { value } else { nil } }
  /// The number, if the value was created from a `Float16`.
  public var float16Value: Float16? { if case .half(let value)? = content { value } else { nil } }
  /// The number, if the value was created from a `Float`.
  public var floatValue: Float? { if case .float(let value)? = content { value } else { nil } }
  /// The number, if the value was created from a `Double`.
  public var doubleValue: Double? { if case .double(let value)? = content { value } else { nil } }
  /// The string; nil for another type.
  public var stringValue: String? { if case .string(let value)? = content { value } else { nil } }
  /// The sequence of strings; nil for another type.
  public var stringArrayValue: [String]? { if case .strings(let value)? = content { value } else { nil } }

  /// The dictionary, if its keys are strings.
  public var stringDictionaryValue: [String: Double]? {
    if case .stringDictionary(let value)? = content { value } else { nil }
  }

  /// The dictionary, if its keys are integers.
  public var integerDictionaryValue: [Int: Double]? {
    if case .integerDictionary(let value)? = content { value } else { nil }
  }

  /// The shaped array, if its scalars have the given type.
  public func shapedArrayValue<Scalar: MLShapedArrayScalar>(of type: Scalar.Type) -> MLShapedArray<Scalar>? {
    switch content {
    case .halfArray(let value): value as? MLShapedArray<Scalar>
    case .floatArray(let value): value as? MLShapedArray<Scalar>
    case .doubleArray(let value): value as? MLShapedArray<Scalar>
    case .int32Array(let value): value as? MLShapedArray<Scalar>
    case .int8Array(let value): value as? MLShapedArray<Scalar>
    default: nil
    }
  }
}

extension MLSendableFeatureValue: CustomDebugStringConvertible {
  /// The type and the value.
  public var debugDescription: String {
    switch content {
    case nil: "\(type) (undefined)"
    case .integer(let value): "\(type): \(value)"
    case .half(let value): "\(type): \(value)"
    case .float(let value): "\(type): \(value)"
    case .double(let value): "\(type): \(value)"
    case .string(let value): "\(type): \(value)"
    case .strings(let value): "\(type): \(value)"
    case .stringDictionary(let value): "\(type): \(value)"
    case .integerDictionary(let value): "\(type): \(value)"
    case .halfArray(let value): "\(type) of float16, \(value.shape): \(value)"
    case .floatArray(let value): "\(type) of float32, \(value.shape): \(value)"
    case .doubleArray(let value): "\(type) of double, \(value.shape): \(value)"
    case .int32Array(let value): "\(type) of int32, \(value.shape): \(value)"
    case .int8Array(let value): "\(type) of int8, \(value.shape): \(value)"
    }
  }
}
