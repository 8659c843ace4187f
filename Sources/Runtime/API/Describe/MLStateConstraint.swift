import Foundation

/// The constraint of a state: a buffer with a fixed shape and element type that is kept between predictions.
// Sendable: immutable after initialization
open class MLStateConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The size of each axis.
  open internal(set) var bufferShape: [Int] = []
  /// The element type.
  open internal(set) var dataType: MLMultiArrayDataType = .float32

  /// Creates an empty object, for subclasses that act as test doubles.
  override public init() { super.init() }

  convenience init(bufferShape: [Int], dataType: MLMultiArrayDataType) {
    self.init()
    self.bufferShape = bufferShape
    self.dataType = dataType
  }

  /// Returns `self`; the object is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Constraints support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the constraint.
  open func encode(with coder: NSCoder) {
    coder.encode(integers: bufferShape, forKey: "bufferShape")
    coder.encode(dataType.rawValue, forKey: "dataType")
  }

  /// Decodes the object; nil if the archive holds something else.
  public required init?(coder: NSCoder) {
    guard let shape = coder.integers(forKey: "bufferShape"),
      let type = coder.choice(MLMultiArrayDataType.self, forKey: "dataType")
    else { return nil }
    (bufferShape, dataType) = (shape, type)
    super.init()
  }

  /// Whether the other object is of this class and has equal contents.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLStateConstraint else { return false }
    return bufferShape == other.bufferShape && dataType == other.dataType
  }

  override open var hash: Int { bufferShape.hashValue }

  /// A human-readable description.
  override open var description: String {
    "State (\(dataType.title), \(bufferShape.map(String.init).joined(separator: " × ")))"
  }
}
