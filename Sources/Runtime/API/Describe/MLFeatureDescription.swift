import Foundation

/// A feature of a model: its name, its type, and what its values must be.
// Sendable: never changed once it is made
open class MLFeatureDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// What values are given and read by.
  open internal(set) var name: String = ""
  /// What kind of value it is.
  open internal(set) var type: MLFeatureType = .invalid
  /// Whether an input may be left out.
  open internal(set) var isOptional: Bool = false
  /// Whether the model has a value of its own for the input, which its description may still call required: a detector's thresholds.
  package internal(set) var hasDefault = false
  /// Whether a prediction does without a value from the caller.
  package var mayBeLeftOut: Bool { isOptional || hasDefault }
  /// Whether sizes of its values vary from call to call.
  var hasFlexibleSize: Bool {
    let array = multiArrayConstraint?.shapeConstraint.type ?? .unspecified
    let image = imageConstraint?.sizeConstraint.type ?? .unspecified
    return array != .unspecified || image != .unspecified
  }
  /// For a multi-array.
  open internal(set) var multiArrayConstraint: MLMultiArrayConstraint?
  /// For an image.
  open internal(set) var imageConstraint: MLImageConstraint?
  /// For a dictionary.
  open internal(set) var dictionaryConstraint: MLDictionaryConstraint?
  /// For a sequence.
  open internal(set) var sequenceConstraint: MLSequenceConstraint?
  /// For a state.
  open internal(set) var stateConstraint: MLStateConstraint?

  /// For subclasses that stand for one in tests: everything is empty.
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

  /// Whether a value is of the type and within the constraints, a multi-array's element type included. A prediction takes some values
  /// besides: it converts the numbers of arrays.
  open func isAllowedValue(_ value: MLFeatureValue) -> Bool { allows(value, converting: false) }

  /// `converting`: whether a multi-array of another element type will do.
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

  /// Itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Archives of descriptions may be read where classes are asked for.
  open class var supportsSecureCoding: Bool { true }

  /// Writes what the description says.
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

  /// One from an archive; nil for an archive of something else.
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

  /// Whether the other object says the same.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLFeatureDescription else { return false }
    return name == other.name && type == other.type && isOptional == other.isOptional
      && multiArrayConstraint == other.multiArrayConstraint && imageConstraint == other.imageConstraint
      && dictionaryConstraint == other.dictionaryConstraint && sequenceConstraint == other.sequenceConstraint
      && stateConstraint == other.stateConstraint
  }

  override open var hash: Int { name.hashValue }

  /// As people read it.
  override open var description: String {
    "\(name) : \(constraint?.description ?? type.title)\(isOptional ? " (optional)" : "")"
  }

  private var constraint: NSObject? {
    multiArrayConstraint ?? imageConstraint ?? dictionaryConstraint ?? sequenceConstraint ?? stateConstraint
  }
}
