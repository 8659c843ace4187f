import CoreMLImages
import Foundation

/// The kinds of feature.
public enum MLFeatureType: Int, Sendable, CustomStringConvertible {
  case invalid = 0
  case int64 = 1
  case double = 2
  case string = 3
  case image = 4
  case multiArray = 5
  case dictionary = 6
  case sequence = 7
  case state = 8

  public var description: String {
    switch self {
    case .invalid: "invalid"
    case .int64: "int64"
    case .double: "double"
    case .string: "string"
    case .image: "image"
    case .multiArray: "multiArray"
    case .dictionary: "dictionary"
    case .sequence: "sequence"
    case .state: "state"
    }
  }
}

/// One value of a feature; undefined when it has a type and nothing else.
// Sendable: immutable; arrays and images are shared, as Core ML's are
public class MLFeatureValue: NSObject, @unchecked Sendable {
  enum Content {
    case int64(Int64)
    case double(Double)
    case string(String)
    case image(PixelBuffer)
    case multiArray(MLMultiArray)
    case dictionary([AnyHashable: NSNumber])
    case sequence(MLSequence)
  }

  public let type: MLFeatureType
  private let content: Content?

  private init(_ type: MLFeatureType, _ content: Content?) {
    self.type = type
    self.content = content
    super.init()
  }

  public convenience init(int64 value: Int64) { self.init(.int64, .int64(value)) }
  public convenience init(double value: Double) { self.init(.double, .double(value)) }
  public convenience init(string value: String) { self.init(.string, .string(value)) }
  public convenience init(pixelBuffer value: PixelBuffer) { self.init(.image, .image(value)) }
  public convenience init(multiArray value: MLMultiArray) { self.init(.multiArray, .multiArray(value)) }
  public convenience init(sequence value: MLSequence) { self.init(.sequence, .sequence(value)) }
  public convenience init(undefined type: MLFeatureType) { self.init(type, nil) }

  /// A dictionary whose keys are all strings or all integers.
  public convenience init(dictionary value: [AnyHashable: NSNumber]) throws {
    let strings = value.keys.filter { $0.base is String }.count
    guard strings == 0 || strings == value.count else {
      throw MLModelError(.featureType, "a dictionary feature has keys of more than one type")
    }
    self.init(.dictionary, .dictionary(value))
  }

  public var isUndefined: Bool { content == nil }
  public var int64Value: Int64 { if case .int64(let value)? = content { value } else { 0 } }
  public var doubleValue: Double { if case .double(let value)? = content { value } else { 0 } }
  public var stringValue: String { if case .string(let value)? = content { value } else { "" } }
  public var imageBufferValue: PixelBuffer? { if case .image(let value)? = content { value } else { nil } }
  public var multiArrayValue: MLMultiArray? { if case .multiArray(let value)? = content { value } else { nil } }
  public var sequenceValue: MLSequence? { if case .sequence(let value)? = content { value } else { nil } }
  public var dictionaryValue: [AnyHashable: NSNumber] {
    if case .dictionary(let value)? = content { value } else { [:] }
  }
}

/// A sequence of strings or of integers.
// Sendable: immutable
public class MLSequence: NSObject, @unchecked Sendable {
  public let type: MLFeatureType
  public let stringValues: [String]
  public let int64Values: [NSNumber]

  public init(empty type: MLFeatureType) {
    self.type = type
    (stringValues, int64Values) = ([], [])
  }

  public init(strings values: [String]) {
    type = .string
    (stringValues, int64Values) = (values, [])
  }

  public init(int64s values: [NSNumber]) {
    type = .int64
    (stringValues, int64Values) = ([], values)
  }
}
