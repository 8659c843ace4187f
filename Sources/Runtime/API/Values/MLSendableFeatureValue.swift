import Foundation

/// A feature value that may be passed between concurrency domains: a number, a string, strings, a dictionary, or a shaped array.
///
/// Images, states and sequences of integers have no such form.
public struct MLSendableFeatureValue: Equatable, Sendable {
  enum Content: Equatable, Sendable {
    case integer(Int)
    case half(Float16)
    case float(Float)
    case double(Double)
    case string(String)
    case strings([String])
    case stringDictionary([String: Double])
    case integerDictionary([Int: Double])
    case halfArray(MLShapedArray<Float16>)
    case floatArray(MLShapedArray<Float>)
    case doubleArray(MLShapedArray<Double>)
    case int32Array(MLShapedArray<Int32>)
    case int8Array(MLShapedArray<Int8>)
  }

  /// The type of the feature. Strings are a sequence, whatever number a scalar is it is an integer or a double.
  public let type: MLFeatureType
  let content: Content?

  private init(_ type: MLFeatureType, _ content: Content?) {
    self.type = type
    self.content = content
  }

  // MARK: making

  /// A value that has a type and nothing else.
  public init(undefined type: MLFeatureType) { self.init(type, nil) }

  /// An integer.
  public init(_ value: Int) { self.init(.int64, .integer(value)) }
  /// An integer.
  public init(_ value: Int32) { self.init(.int64, .integer(Int(value))) }
  /// A number in half precision.
  public init(_ value: Float16) { self.init(.double, .half(value)) }
  /// A number in single precision.
  public init(_ value: Float) { self.init(.double, .float(value)) }
  /// A number in double precision.
  public init(_ value: Double) { self.init(.double, .double(value)) }
  /// A string.
  public init(_ value: String) { self.init(.string, .string(value)) }
  /// A sequence of strings.
  public init(_ value: [String]) { self.init(.sequence, .strings(value)) }
  /// A dictionary of numbers by string.
  public init(_ value: [String: Double]) { self.init(.dictionary, .stringDictionary(value)) }
  /// A dictionary of numbers by string.
  public init(_ value: [String: Int]) { self.init(value.mapValues(Double.init)) }
  /// A dictionary of numbers by integer.
  public init(_ value: [Int: Double]) { self.init(.dictionary, .integerDictionary(value)) }
  /// A dictionary of numbers by integer.
  public init(_ value: [Int: Int]) { self.init(value.mapValues(Double.init)) }

  /// A shaped array, its memory shared until one of its copies is written to.
  public init<Scalar: MLShapedArrayScalar>(_ value: MLShapedArray<Scalar>) {
    let content: Content
    switch Scalar.multiArrayDataType {
    case .float16: content = .halfArray(Self.array(value))
    case .float32: content = .floatArray(Self.array(value))
    case .double: content = .doubleArray(Self.array(value))
    case .int32: content = .int32Array(Self.array(value))
    case .int8: content = .int8Array(Self.array(value))
    }
    self.init(.multiArray, content)
  }

  /// The array itself; for a scalar type of the caller's own, its counterpart of the standard type.
  private static func array<From, To>(_ value: MLShapedArray<From>) -> MLShapedArray<To> {
    value as? MLShapedArray<To> ?? MLShapedArray(converting: value)
  }

  /// A feature value's content; arrays are copied. Nil for images, states and sequences of integers.
  public init?(_ value: MLFeatureValue) {
    guard !value.isUndefined else {
      self.init(undefined: value.type)
      return
    }
    switch value.type {
    case .int64: self.init(Int(value.int64Value))
    case .double: self.init(value.doubleValue)
    case .string: self.init(value.stringValue)
    case .sequence:
      guard let sequence = value.sequenceValue, sequence.type == .string else { return nil }
      self.init(sequence.stringValues)
    case .dictionary:
      let pairs = value.dictionaryValue
      if pairs.keys.contains(where: { $0.base is String }) {
        self.init(Self.keyed(pairs) { $0.base as? String })
      } else {
        self.init(Self.keyed(pairs) { ($0.base as? Int64).map(Int.init) })
      }
    case .multiArray:
      guard let array = value.multiArrayValue else { return nil }
      switch array.dataType {
      case .float16: self.init(MLShapedArray<Float16>(converting: array))
      case .float32: self.init(MLShapedArray<Float>(converting: array))
      case .double: self.init(MLShapedArray<Double>(converting: array))
      case .int32: self.init(MLShapedArray<Int32>(converting: array))
      case .int8: self.init(MLShapedArray<Int8>(converting: array))
      }
    default: return nil
    }
  }

  private static func keyed<Key>(_ pairs: [AnyHashable: NSNumber], _ key: (AnyHashable) -> Key?) -> [Key: Double] {
    Dictionary(
      pairs.compactMap { pair in key(pair.key).map { ($0, pair.value.doubleValue) } },
      uniquingKeysWith: { first, _ in first })
  }
}
