import CoreMLImages
import Foundation

/// One value of a feature; undefined when it has a type and nothing else.
// Sendable: immutable; arrays and images are shared, as Core ML's are
public class MLFeatureValue: NSObject, NSCopying, @unchecked Sendable {
  enum Content {
    case int64(Int64)
    case double(Double)
    case string(String)
    case image(PixelBuffer)
    case multiArray(MLMultiArray)
    case dictionary([AnyHashable: NSNumber])
    /// A dictionary that is made when it is asked for.
    case shares(ClassShares)
    case sequence(MLSequence)
  }

  /// What kind of value it is.
  public let type: MLFeatureType
  private let content: Content?

  private init(_ type: MLFeatureType, _ content: Content?) {
    self.type = type
    self.content = content
    super.init()
  }

  /// An integer.
  public convenience init(int64 value: Int64) { self.init(.int64, .int64(value)) }
  /// A number.
  public convenience init(double value: Double) { self.init(.double, .double(value)) }
  /// A string.
  public convenience init(string value: String) { self.init(.string, .string(value)) }
  /// An image, shared.
  public convenience init(pixelBuffer value: PixelBuffer) { self.init(.image, .image(value)) }
  /// A multi-array, shared.
  public convenience init(multiArray value: MLMultiArray) { self.init(.multiArray, .multiArray(value)) }
  /// A sequence of strings or integers.
  public convenience init(sequence value: MLSequence) { self.init(.sequence, .sequence(value)) }
  /// No value of a type: an optional input that is not given.
  public convenience init(undefined type: MLFeatureType) { self.init(type, nil) }

  /// A classifier's labels with their numbers.
  convenience init(shares: ClassShares) { self.init(.dictionary, .shares(shares)) }

  /// A dictionary whose keys are all strings or all integers; integer keys come back as `Int64`.
  ///
  /// - Throws: `MLModelError` (`featureType`) for keys of other types, or of both.
  public convenience init(dictionary value: [AnyHashable: NSNumber]) throws {
    var strings: [String: NSNumber] = [:]
    var integers: [Int64: NSNumber] = [:]
    for (key, number) in value {
      if let text = key.base as? String {
        strings[text] = number
      } else if let integer = Self.integer(key.base) {
        integers[integer] = number
      } else {
        throw MLModelError(.featureType, "a dictionary feature has a key of type \(Swift.type(of: key.base))")
      }
    }
    guard strings.isEmpty || integers.isEmpty else {
      throw MLModelError(.featureType, "a dictionary feature has keys of more than one type")
    }
    if strings.isEmpty { self.init(integers: integers) } else { self.init(strings: strings) }
  }

  convenience init(strings: [String: NSNumber]) {
    self.init(
      .dictionary, .dictionary(Dictionary(uniqueKeysWithValues: strings.map { (AnyHashable($0), $1) })))
  }

  convenience init(integers: [Int64: NSNumber]) {
    self.init(
      .dictionary, .dictionary(Dictionary(uniqueKeysWithValues: integers.map { (AnyHashable($0), $1) })))
  }

  private static func integer(_ key: Any) -> Int64? {
    if let integer = key as? any BinaryInteger { return Int64(exactly: integer) }
    guard let number = key as? NSNumber, !number.isFloat else { return nil }
    return number.int64Value
  }

  /// Itself: a value never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether both are of one type and hold equal content; arrays by shape, element type and elements, images by identity.
  public func isEqual(to value: MLFeatureValue) -> Bool {
    guard type == value.type else { return false }
    switch (content, value.content) {
    case (nil, nil): return true
    case (.int64(let a), .int64(let b)): return a == b
    case (.double(let a), .double(let b)): return a == b
    case (.string(let a), .string(let b)): return a == b
    case (.image(let a), .image(let b)): return a === b
    case (.multiArray(let a), .multiArray(let b)): return a.isEqual(b)
    case (.dictionary, _), (.shares, _): return dictionaryValue == value.dictionaryValue
    case (.sequence(let a), .sequence(let b)): return a.stringValues == b.stringValues && a.int64Values == b.int64Values
    default: return false
    }
  }

  override public func isEqual(_ object: Any?) -> Bool { (object as? MLFeatureValue).map { isEqual(to: $0) } ?? false }

  override public var hash: Int { type.rawValue }

  /// Whether it is no value.
  public var isUndefined: Bool { content == nil }
  /// The integer; 0 for another kind of value.
  public var int64Value: Int64 { if case .int64(let value)? = content { value } else { 0 } }
  /// The number; 0 for another kind of value.
  public var doubleValue: Double { if case .double(let value)? = content { value } else { 0 } }
  /// The string; empty for another kind of value.
  public var stringValue: String { if case .string(let value)? = content { value } else { "" } }
  /// The image; nil for another kind of value.
  public var imageBufferValue: PixelBuffer? { if case .image(let value)? = content { value } else { nil } }
  /// The multi-array; nil for another kind of value.
  public var multiArrayValue: MLMultiArray? { if case .multiArray(let value)? = content { value } else { nil } }
  /// The sequence; nil for another kind of value.
  public var sequenceValue: MLSequence? { if case .sequence(let value)? = content { value } else { nil } }
  /// The dictionary; empty for another kind of value.
  public var dictionaryValue: [AnyHashable: NSNumber] {
    switch content {
    case .dictionary(let value)?: value
    case .shares(let shares)?: shares.dictionary
    default: [:]
    }
  }
}
