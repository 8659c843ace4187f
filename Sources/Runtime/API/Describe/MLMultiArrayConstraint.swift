import Foundation

/// What a multi-array feature must be: element type and shape.
// Sendable: never changed once it is made
open class MLMultiArrayConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The shape to give, unless `shapeConstraint` allows another; empty where any may be given.
  open internal(set) var shape: [NSNumber] = []
  /// The element type of the model; a prediction converts arrays of other types.
  open internal(set) var dataType: MLMultiArrayDataType = .float32
  /// Which other shapes may be given.
  open internal(set) var shapeConstraint: MLMultiArrayShapeConstraint = MLMultiArrayShapeConstraint()
  /// What stands for every element of an optional array that is not given.
  var defaultValue: Double?

  /// For subclasses that stand for one in tests: everything is empty.
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

  /// Itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Archives of constraints may be read where classes are asked for.
  open class var supportsSecureCoding: Bool { true }

  /// Writes what the constraint says.
  open func encode(with coder: NSCoder) {
    coder.encode(numbers: shape, forKey: "shape")
    coder.encode(dataType.rawValue, forKey: "dataType")
    coder.encode(shapeConstraint, forKey: "shapeConstraint")
    if let defaultValue { coder.encode(defaultValue, forKey: "defaultValue") }
  }

  /// One from an archive; nil for an archive of something else.
  public required init?(coder: NSCoder) {
    guard let shape = coder.numbers(forKey: "shape"),
      let type = coder.choice(MLMultiArrayDataType.self, forKey: "dataType"),
      let shapes = coder.object(of: MLMultiArrayShapeConstraint.self, forKey: "shapeConstraint")
    else { return nil }
    (self.shape, dataType, shapeConstraint) = (shape, type, shapes)
    if coder.containsValue(forKey: "defaultValue") { defaultValue = coder.decodeDouble(forKey: "defaultValue") }
    super.init()
  }

  /// Whether the other object says the same.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLMultiArrayConstraint else { return false }
    return shape == other.shape && dataType == other.dataType && shapeConstraint == other.shapeConstraint
  }

  override open var hash: Int { shape.hashValue }

  /// As people read it.
  override open var description: String {
    "MultiArray (\(dataType.title)\(shape.isEmpty ? "" : ", " + shape.map { "\($0)" }.joined(separator: " × ")))"
  }
}
