import Foundation

/// A sequence of strings or of integers.
// Sendable: immutable
open class MLSequence: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// `.string` or `.int64`.
  public let type: MLFeatureType
  /// The strings; empty for a sequence of integers.
  public let stringValues: [String]
  /// The integers; empty for a sequence of strings.
  public let int64Values: [NSNumber]

  /// Returns `self`; a sequence is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Sequences support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the type and the values.
  open func encode(with coder: NSCoder) {
    coder.encode(type.rawValue, forKey: "type")
    coder.encode(stringValues as NSArray, forKey: "strings")
    coder.encode(int64Values as NSArray, forKey: "integers")
  }

  /// Decodes a sequence; nil if the archive holds something else.
  public required init?(coder: NSCoder) {
    guard let type = MLFeatureType(rawValue: coder.decodeInteger(forKey: "type")),
      let strings = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "strings") as? [String],
      let integers = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "integers") as? [NSNumber]
    else { return nil }
    self.type = type
    (stringValues, int64Values) = (strings, integers)
  }

  /// Whether the other is a sequence of the same type and values.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLSequence else { return false }
    return type == other.type && stringValues == other.stringValues && int64Values == other.int64Values
  }

  override open var hash: Int { count }

  /// The type and the values.
  override open var description: String {
    "Sequence : \(type.title) \(type == .string ? "\(stringValues)" : "\(int64Values)")"
  }

  /// The number of values.
  var count: Int { type == .string ? stringValues.count : int64Values.count }

  /// Creates an empty sequence of a type.
  public init(empty type: MLFeatureType) {
    self.type = type
    (stringValues, int64Values) = ([], [])
  }

  /// Creates a sequence of strings.
  public init(strings values: [String]) {
    type = .string
    (stringValues, int64Values) = (values, [])
  }

  /// Creates a sequence of integers.
  public init(int64s values: [NSNumber]) {
    type = .int64
    (stringValues, int64Values) = ([], values)
  }
}
