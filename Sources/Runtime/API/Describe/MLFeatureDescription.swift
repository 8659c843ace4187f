import Foundation

/// A feature of a model: its name, its type, and the constraints on its values.
// Sendable: immutable after initialization
open class MLFeatureDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The key of the feature's value in a feature provider.
  open internal(set) var name: String = ""
  /// The type of the feature's value.
  open internal(set) var type: MLFeatureType = .invalid
  /// Whether a prediction may omit the input.
  open internal(set) var isOptional: Bool = false
  /// Whether the model has a default value for the input. The description may still call such an input required, for
  /// example a detector's thresholds.
  package internal(set) var hasDefault = false
  /// Whether a prediction can run without this input.
  package var mayBeLeftOut: Bool { isOptional || hasDefault }
  /// Whether the shape or image size may change from call to call.
  var hasFlexibleSize: Bool {
    let array = multiArrayConstraint?.shapeConstraint.type ?? .unspecified
    let image = imageConstraint?.sizeConstraint.type ?? .unspecified
    return array != .unspecified || image != .unspecified
  }
  /// The constraint of a multi-array; nil for other types.
  open internal(set) var multiArrayConstraint: MLMultiArrayConstraint?
  /// The constraint of an image; nil for other types.
  open internal(set) var imageConstraint: MLImageConstraint?
  /// The constraint of a dictionary; nil for other types.
  open internal(set) var dictionaryConstraint: MLDictionaryConstraint?
  /// The constraint of a sequence; nil for other types.
  open internal(set) var sequenceConstraint: MLSequenceConstraint?
  /// The constraint of a state; nil for other types.
  open internal(set) var stateConstraint: MLStateConstraint?

  /// Creates an empty object, for subclasses that act as test doubles.
  override public init() { super.init() }

  convenience init(
    name: String, type: MLFeatureType, isOptional: Bool, multiArrayConstraint: MLMultiArrayConstraint? = nil,
    imageConstraint: MLImageConstraint? = nil, dictionaryConstraint: MLDictionaryConstraint? = nil,
    sequenceConstraint: MLSequenceConstraint? = nil, stateConstraint: MLStateConstraint? = nil
  ) {
    self.init()
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.multiArrayConstraint = multiArrayConstraint
    self.imageConstraint = imageConstraint
    self.dictionaryConstraint = dictionaryConstraint
    self.sequenceConstraint = sequenceConstraint
    self.stateConstraint = stateConstraint
  }

  /// Whether a value has the right type and meets the constraints, including a multi-array's element type. A prediction
  /// accepts more: it converts the elements of arrays to the model's type.
  open func isAllowedValue(_ value: MLFeatureValue) -> Bool { allows(value, converting: false) }

  /// - Parameter converting: whether a multi-array of another element type is allowed.
  func allows(_ value: MLFeatureValue, converting: Bool) -> Bool {
    if value.isUndefined { return isOptional }
    guard value.type == type else { return false }
    if let constraint = multiArrayConstraint, let array = value.multiArrayValue {
      return (converting || constraint.dataType == array.dataType)
        && constraint.shapeConstraint.allows(array.layout.shape, declared: constraint.shape.map(\.intValue))
    }
    if let constraint = imageConstraint, let image = value.imageBufferValue { return constraint.allows(image) }
    if let constraint = dictionaryConstraint {
      return value.dictionaryValue.keys.allSatisfy { ($0.base is String) == (constraint.keyType == .string) }
    }
    if let constraint = sequenceConstraint, let sequence = value.sequenceValue { return constraint.allows(sequence) }
    return true
  }

  /// Returns `self`; the object is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Descriptions support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the description.
  open func encode(with coder: NSCoder) {
    coder.encode(text: name, forKey: "name")
    coder.encode(type.rawValue, forKey: "type")
    coder.encode(isOptional, forKey: "isOptional")
    coder.encode(multiArrayConstraint, forKey: "multiArrayConstraint")
    coder.encode(imageConstraint, forKey: "imageConstraint")
    coder.encode(dictionaryConstraint, forKey: "dictionaryConstraint")
    coder.encode(sequenceConstraint, forKey: "sequenceConstraint")
    coder.encode(stateConstraint, forKey: "stateConstraint")
  }

  /// Decodes the object; nil if the archive holds something else.
  public required init?(coder: NSCoder) {
    guard let name = coder.text(forKey: "name"), let type = coder.choice(MLFeatureType.self, forKey: "type")
    else { return nil }
    (self.name, self.type, isOptional) = (name, type, coder.decodeBool(forKey: "isOptional"))
    multiArrayConstraint = coder.object(of: MLMultiArrayConstraint.self, forKey: "multiArrayConstraint")
    imageConstraint = coder.object(of: MLImageConstraint.self, forKey: "imageConstraint")
    dictionaryConstraint = coder.object(of: MLDictionaryConstraint.self, forKey: "dictionaryConstraint")
    sequenceConstraint = coder.object(of: MLSequenceConstraint.self, forKey: "sequenceConstraint")
    stateConstraint = coder.object(of: MLStateConstraint.self, forKey: "stateConstraint")
    super.init()
  }

  /// Whether the other object is of this class and has equal contents.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLFeatureDescription else { return false }
    return name == other.name && type == other.type && isOptional == other.isOptional
      && multiArrayConstraint == other.multiArrayConstraint && imageConstraint == other.imageConstraint
      && dictionaryConstraint == other.dictionaryConstraint && sequenceConstraint == other.sequenceConstraint
      && stateConstraint == other.stateConstraint
  }

  override open var hash: Int { name.hashValue }

  /// A human-readable description.
  override open var description: String {
    "\(name) : \(constraint?.description ?? type.title)\(isOptional ? " (optional)" : "")"
  }

  private var constraint: NSObject? {
    multiArrayConstraint ?? imageConstraint ?? dictionaryConstraint ?? sequenceConstraint ?? stateConstraint
  }
}
