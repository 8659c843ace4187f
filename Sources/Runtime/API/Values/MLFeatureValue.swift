import CoreMLImages
import Foundation

/// One value of a feature; undefined when it has a type and nothing else.
// Sendable: immutable; arrays and images are shared, as Core ML's are
open class MLFeatureValue: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
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
  open var type: MLFeatureType { kind }
  // Set once, before anybody else sees the value.
  private var kind = MLFeatureType.invalid
  private var content: Content?

  /// For subclasses that stand for a value in tests: it is undefined, and of no type.
  override public init() { super.init() }

  private convenience init(_ type: MLFeatureType, _ content: Content?) {
    self.init()
    (kind, self.content) = (type, content)
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
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether both are of one type and hold equal content; arrays by shape, element type and elements, images by identity.
  open func isEqual(to value: MLFeatureValue) -> Bool {
    guard type == value.type, isUndefined == value.isUndefined else { return false }
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

  override open func isEqual(_ object: Any?) -> Bool { (object as? MLFeatureValue).map { isEqual(to: $0) } ?? false }

  override open var hash: Int { type.rawValue }

  /// The kind and the value, as people read it: `Int64 : 3`, `MultiArray : Float32 2 vector` with the elements below.
  override open var description: String {
    let value =
      switch content {
      case nil: "undefined"
      case .int64(let value): "\(value)"
      case .double(let value): "\(value)"
      case .string(let value): value
      case .image(let value): "\(value.width) x \(value.height) image buffer"
      case .multiArray(let value): value.description
      case .dictionary, .shares:
        "{" + dictionaryValue.map { "\($0.key): \($0.value)" }.sorted().joined(separator: ", ") + "}"
      case .sequence(let value): value.type == .string ? "\(value.stringValues)" : "\(value.int64Values)"
      }
    return "\(type.title) : \(value)"
  }

  /// Whether it is no value.
  open var isUndefined: Bool { content == nil }
  /// The integer; 0 for another kind of value.
  open var int64Value: Int64 { if case .int64(let value)? = content { value } else { 0 } }
  /// The number; 0 for another kind of value.
  open var doubleValue: Double { if case .double(let value)? = content { value } else { 0 } }
  /// The string; empty for another kind of value.
  open var stringValue: String { if case .string(let value)? = content { value } else { "" } }
  /// The image; nil for another kind of value.
  open var imageBufferValue: PixelBuffer? { if case .image(let value)? = content { value } else { nil } }
  /// The multi-array; nil for another kind of value.
  open var multiArrayValue: MLMultiArray? { if case .multiArray(let value)? = content { value } else { nil } }
  /// The sequence; nil for another kind of value.
  open var sequenceValue: MLSequence? { if case .sequence(let value)? = content { value } else { nil } }
  /// The dictionary; empty for another kind of value.
  open var dictionaryValue: [AnyHashable: NSNumber] {
    switch content {
    case .dictionary(let value)?: value
    case .shares(let shares)?: shares.dictionary
    default: [:]
    }
  }

  // MARK: archives

  /// Archives of values may be read where classes are asked for.
  open class var supportsSecureCoding: Bool { true }

  /// Writes the type and the value; an image is written with its pixels.
  open func encode(with coder: NSCoder) {
    coder.encode(type.rawValue, forKey: "type")
    switch content {
    case nil: break
    case .int64(let value): coder.encode(NSNumber(value: value), forKey: "value")
    case .double(let value): coder.encode(NSNumber(value: value), forKey: "value")
    case .string(let value): coder.encode(value as NSString, forKey: "value")
    case .multiArray(let value): coder.encode(value, forKey: "value")
    case .sequence(let value): coder.encode(value, forKey: "value")
    case .dictionary, .shares:
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

  /// A value from an archive; nil for one that does not hold what its type says.
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
