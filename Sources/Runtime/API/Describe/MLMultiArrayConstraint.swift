import Foundation

/// The constraint of a multi-array feature: its element type and shape.
// Sendable: immutable after initialization
open class MLMultiArrayConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The required shape, unless `shapeConstraint` allows another; empty if any shape is allowed.
  open internal(set) var shape: [NSNumber] = []
  /// The element type in the model. A prediction converts arrays of other element types.
  open internal(set) var dataType: MLMultiArrayDataType = .float32
  /// The other shapes that are allowed.
  open internal(set) var shapeConstraint: MLMultiArrayShapeConstraint = MLMultiArrayShapeConstraint()
  /// The value of every element if an optional array is omitted.
  var defaultValue: Double?

  /// Creates an empty object, for subclasses that act as test doubles.
  override public init() { super.init() }

  convenience init(
    shape: [NSNumber], dataType: MLMultiArrayDataType, shapeConstraint: MLMultiArrayShapeConstraint,
    defaultValue: Double? = nil
  ) {
    self.init()
    self.shape = shape
    self.dataType = dataType
    self.shapeConstraint = shapeConstraint
    self.defaultValue = defaultValue
  }

  /// Returns `self`; the object is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Constraints support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the constraint.
  open func encode(with coder: NSCoder) {
    coder.encode(numbers: shape, forKey: "shape")
    coder.encode(dataType.rawValue, forKey: "dataType")
    coder.encode(shapeConstraint, forKey: "shapeConstraint")
    if let defaultValue { coder.encode(defaultValue, forKey: "defaultValue") }
  }

  /// Decodes the object; nil if the archive holds something else.
  public required init?(coder: NSCoder) {
    guard let shape = coder.numbers(forKey: "shape"),
      let type = coder.choice(MLMultiArrayDataType.self, forKey: "dataType"),
      let shapes = coder.object(of: MLMultiArrayShapeConstraint.self, forKey: "shapeConstraint")
    else { return nil }
    (self.shape, dataType, shapeConstraint) = (shape, type, shapes)
    if coder.containsValue(forKey: "defaultValue") { defaultValue = coder.decodeDouble(forKey: "defaultValue") }
    super.init()
  }

  /// Whether the other object is of this class and has equal contents.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLMultiArrayConstraint else { return false }
    return shape == other.shape && dataType == other.dataType && shapeConstraint == other.shapeConstraint
  }

  override open var hash: Int { shape.hashValue }

  /// A human-readable description.
  override open var description: String {
    "MultiArray (\(dataType.title)\(shape.isEmpty ? "" : ", " + shape.map { "\($0)" }.joined(separator: " × ")))"
  }
}
