import Foundation

/// A feature value that can be passed between concurrency domains: a number, a string, a list of strings, a dictionary,
/// or a shaped array.
///
/// Images, states and sequences of integers are not supported.
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

  /// The type of the feature. A list of strings is a sequence. A number is an integer or a double, whatever its Swift
  /// type.
  public let type: MLFeatureType
  let content: Content?

  private init(_ type: MLFeatureType, _ content: Content?) {
    self.type = type
    self.content = content
  }

  // MARK: initializers

  /// Creates a value that has a type but no content.
  public init(undefined type: MLFeatureType) { self.init(type, nil) }

  /// Creates an integer.
  public init(_ value: Int) { self.init(.int64, .integer(value)) }
  /// Creates an integer.
  public init(_ value: Int32) { self.init(.int64, .integer(Int(value))) }
  /// Creates a half-precision number.
  public init(_ value: Float16) { self.init(.double, .half(value)) }
  /// Creates a single-precision number.
  public init(_ value: Float) { self.init(.double, .float(value)) }
  /// Creates a double-precision number.
  public init(_ value: Double) { self.init(.double, .double(value)) }
  /// Creates a string.
  public init(_ value: String) { self.init(.string, .string(value)) }
  /// Creates a sequence of strings.
  public init(_ value: [String]) { self.init(.sequence, .strings(value)) }
  /// Creates a dictionary from strings to numbers.
  public init(_ value: [String: Double]) { self.init(.dictionary, .stringDictionary(value)) }
  /// Creates a dictionary from strings to numbers.
  public init(_ value: [String: Int]) { self.init(value.mapValues(Double.init)) }
  /// Creates a dictionary from integers to numbers.
  public init(_ value: [Int: Double]) { self.init(.dictionary, .integerDictionary(value)) }
  /// Creates a dictionary from integers to numbers.
  public init(_ value: [Int: Int]) { self.init(value.mapValues(Double.init)) }

  /// Creates a shaped array. Its memory is shared until one of its copies is written to.
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

  /// The array as an array of the standard scalar type. The array of a custom scalar type is converted.
  private static func array<From, To>(_ value: MLShapedArray<From>) -> MLShapedArray<To> {
    value as? MLShapedArray<To> ?? MLShapedArray(converting: value)
  }

  /// Creates a value from a feature value; arrays are copied. Returns nil for images, states and sequences of integers.
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
