import CoreMLImages
import Foundation

/// The value of a feature. An undefined value has a type but no content.
// Sendable: immutable; arrays and images are shared, as in Core ML
open class MLFeatureValue: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  enum Content {
    case int64(Int64)
    case double(Double)
    case string(String)
    case image(PixelBuffer)
    case multiArray(MLMultiArray)
    case dictionary([AnyHashable: NSNumber])
    /// A dictionary that is created when it is first accessed.
    case probabilities(ClassProbabilities)
    case sequence(MLSequence)
  }

  /// The type of the value.
  open var type: MLFeatureType { kind }
  // Set once, before the value is visible to other threads.
  private var kind = MLFeatureType.invalid
  private var content: Content?

  /// Creates an undefined value of no type, for subclasses that act as test doubles.
  override public init() { super.init() }

  private convenience init(_ type: MLFeatureType, _ content: Content?) {
    self.init()
    (kind, self.content) = (type, content)
  }

  /// Creates an integer.
  public convenience init(int64 value: Int64) { self.init(.int64, .int64(value)) }
  /// Creates a floating-point number.
  public convenience init(double value: Double) { self.init(.double, .double(value)) }
  /// Creates a string.
  public convenience init(string value: String) { self.init(.string, .string(value)) }
  /// Creates an image value that shares the pixel buffer.
  public convenience init(pixelBuffer value: PixelBuffer) { self.init(.image, .image(value)) }
  /// Creates a multi-array value that shares the array.
  public convenience init(multiArray value: MLMultiArray) { self.init(.multiArray, .multiArray(value)) }
  /// Creates a sequence of strings or integers.
  public convenience init(sequence value: MLSequence) { self.init(.sequence, .sequence(value)) }
  /// Creates an undefined value of a type: an optional input that is omitted.
  public convenience init(undefined type: MLFeatureType) { self.init(type, nil) }

  /// Creates the probabilities of a classifier by class label.
  convenience init(probabilities: ClassProbabilities) { self.init(.dictionary, .probabilities(probabilities)) }

  /// Creates a dictionary whose keys are all strings or all integers. Integer keys are returned as `Int64`.
  ///
  /// - Throws: `MLModelError` (`featureType`) for keys of other types, or of both types.
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

  /// Returns `self`; a value is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether both have the same type and equal contents. Arrays are compared by shape, element type and elements;
  /// images by identity.
  open func isEqual(to value: MLFeatureValue) -> Bool {
    guard type == value.type, isUndefined == value.isUndefined else { return false }
    switch (content, value.content) {
    case (nil, nil): return true
    case (.int64(let a), .int64(let b)): return a == b
    case (.double(let a), .double(let b)): return a == b
    case (.string(let a), .string(let b)): return a == b
    case (.image(let a), .image(let b)): return a === b
    case (.multiArray(let a), .multiArray(let b)): return a.isEqual(b)
    case (.dictionary, _), (.probabilities, _): return dictionaryValue == value.dictionaryValue
    case (.sequence(let a), .sequence(let b)): return a.stringValues == b.stringValues && a.int64Values == b.int64Values
    default: return false
    }
  }

  override open func isEqual(_ object: Any?) -> Bool { (object as? MLFeatureValue).map { isEqual(to: $0) } ?? false }

  override open var hash: Int { type.rawValue }

  /// The type and the value, for example `Int64 : 3`, or `MultiArray : Float32 2 vector` followed by the elements.
  override open var description: String {
    let value =
      switch content {
      case nil: "undefined"
      case .int64(let value): "\(value)"
      case .double(let value): "\(value)"
      case .string(let value): value
      case .image(let value): "\(value.width) x \(value.height) image buffer"
      case .multiArray(let value): value.description
      case .dictionary, .probabilities:
        "{" + dictionaryValue.map { "\($0.key): \($0.value)" }.sorted().joined(separator: ", ") + "}"
      case .sequence(let value): value.type == .string ? "\(value.stringValues)" : "\(value.int64Values)"
      }
    return "\(type.title) : \(value)"
  }

  /// Whether the value has no content.
  open var isUndefined: Bool { content == nil }
  /// The integer; 0 for another type.
  open var int64Value: Int64 { if case .int64(let value)? = content { value } else { 0 } }
  /// The number; 0 for another type.
  open var doubleValue: Double { if case .double(let value)? = content { value } else { 0 } }
  /// The string; empty for another type.
  open var stringValue: String { if case .string(let value)? = content { value } else { "" } }
  /// The image; nil for another type.
  open var imageBufferValue: PixelBuffer? { if case .image(let value)? = content { value } else { nil } }
  /// The multi-array; nil for another type.
  open var multiArrayValue: MLMultiArray? { if case .multiArray(let value)? = content { value } else { nil } }
  /// The sequence; nil for another type.
  open var sequenceValue: MLSequence? { if case .sequence(let value)? = content { value } else { nil } }
  /// The dictionary; empty for another type.
  open var dictionaryValue: [AnyHashable: NSNumber] {
    switch content {
    case .dictionary(let value)?: value
    case .probabilities(let probabilities)?: probabilities.dictionary
    default: [:]
    }
  }

  // MARK: archives

  /// Values support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the type and the value. An image is encoded with its pixels.
  open func encode(with coder: NSCoder) {
    coder.encode(type.rawValue, forKey: "type")
    switch content {
    case nil: break
    case .int64(let value): coder.encode(NSNumber(value: value), forKey: "value")
    case .double(let value): coder.encode(NSNumber(value: value), forKey: "value")
    case .string(let value): coder.encode(value as NSString, forKey: "value")
    case .multiArray(let value): coder.encode(value, forKey: "value")
    case .sequence(let value): coder.encode(value, forKey: "value")
    case .dictionary, .probabilities:
      let entries = dictionaryValue.map { ($0.key.base, $0.value) }
      coder.encode(entries.map { $0.0 as? String ?? "\($0.0)" } as NSArray, forKey: "keys")
      coder.encode(entries.contains { $0.0 is String }, forKey: "areStrings")
      coder.encode(entries.map(\.1) as NSArray, forKey: "value")
    case .image(let image):
      coder.encode(image.width, forKey: "width")
      coder.encode(image.height, forKey: "height")
      coder.encode(Int(image.pixelFormatType), forKey: "format")
      coder.encode(Data(image.packedBytes) as NSData, forKey: "value")
    }
  }

  /// Decodes a value; nil if the archive does not hold a value of the encoded type.
  public required convenience init?(coder: NSCoder) {
    guard let type = MLFeatureType(rawValue: coder.decodeInteger(forKey: "type")) else { return nil }
    guard coder.containsValue(forKey: "value") else {
      self.init(undefined: type)
      return
    }
    func object<Object: NSObject & NSCoding>(_ class: Object.Type) -> Object? {
      coder.decodeObject(of: `class`, forKey: "value")
    }
    switch type {
    case .int64:
      guard let value = object(NSNumber.self) else { return nil }
      self.init(int64: value.int64Value)
    case .double:
      guard let value = object(NSNumber.self) else { return nil }
      self.init(double: value.doubleValue)
    case .string:
      guard let value = object(NSString.self) else { return nil }
      self.init(string: "\(value)")
    case .multiArray:
      guard let value = object(MLMultiArray.self) else { return nil }
      self.init(multiArray: value)
    case .sequence:
      guard let value = object(MLSequence.self) else { return nil }
      self.init(sequence: value)
    case .dictionary:
      guard let keys = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "keys") as? [String],
        let values = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "value") as? [NSNumber],
        keys.count == values.count
      else { return nil }
      let areStrings = coder.decodeBool(forKey: "areStrings")
      let integers = keys.compactMap { Int64($0) }
      guard areStrings || integers.count == keys.count else { return nil }
      if areStrings {
        self.init(strings: Dictionary(zip(keys, values)) { first, _ in first })
      } else {
        self.init(integers: Dictionary(zip(integers, values)) { first, _ in first })
      }
    case .image:
      guard let pixels = object(NSData.self), let format = UInt32(exactly: coder.decodeInteger(forKey: "format")),
        let image = try? PixelBuffer(
          width: coder.decodeInteger(forKey: "width"), height: coder.decodeInteger(forKey: "height"),
          pixelFormatType: format),
        pixels.length == image.withUnsafeBytes({ $0.count })
      else { return nil }
      image.withUnsafeMutableBytes { target in
        if let target = target.baseAddress { pixels.getBytes(target, length: pixels.length) }
      }
      self.init(pixelBuffer: image)
    case .invalid, .state: return nil
    }
  }
}
