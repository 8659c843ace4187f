import Foundation

/// What a state is: a buffer of a fixed shape and element type, kept between predictions.
// Sendable: never changed once it is made
open class MLStateConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The size of each axis.
  open internal(set) var bufferShape: [Int] = []
  /// The type of the elements.
  open internal(set) var dataType: MLMultiArrayDataType = .float32

  /// For subclasses that stand for one in tests: everything is empty.
  override public init() { super.init() }

  convenience init(bufferShape: [Int], dataType: MLMultiArrayDataType) {
    self.init()
    self.bufferShape = bufferShape
    self.dataType = dataType
  }

  /// Itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Archives of constraints may be read where classes are asked for.
  open class var supportsSecureCoding: Bool { true }

  /// Writes what the constraint says.
  open func encode(with coder: NSCoder) {
    coder.encode(integers: bufferShape, forKey: "bufferShape")
    coder.encode(dataType.rawValue, forKey: "dataType")
  }

  /// One from an archive; nil for an archive of something else.
  public required init?(coder: NSCoder) {
    guard let shape = coder.integers(forKey: "bufferShape"),
      let type = coder.choice(MLMultiArrayDataType.self, forKey: "dataType")
    else { return nil }
    (bufferShape, dataType) = (shape, type)
    super.init()
  }

  /// Whether the other object says the same.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLStateConstraint else { return false }
    return bufferShape == other.bufferShape && dataType == other.dataType
  }

  override open var hash: Int { bufferShape.hashValue }

  /// As people read it.
  override open var description: String {
    "State (\(dataType.title), \(bufferShape.map(String.init).joined(separator: " × ")))"
  }
}
