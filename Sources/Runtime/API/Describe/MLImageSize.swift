import Foundation

/// A width and a height, in pixels.
// Sendable: immutable after initialization
open class MLImageSize: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The width in pixels.
  open internal(set) var pixelsWide: Int = 0
  /// The height in pixels.
  open internal(set) var pixelsHigh: Int = 0

  /// Creates an empty object, for subclasses that act as test doubles.
  override public init() { super.init() }

  convenience init(pixelsWide: Int, pixelsHigh: Int) {
    self.init()
    self.pixelsWide = pixelsWide
    self.pixelsHigh = pixelsHigh
  }

  /// Returns `self`; the object is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Sizes support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the width and the height.
  open func encode(with coder: NSCoder) {
    coder.encode(pixelsWide, forKey: "pixelsWide")
    coder.encode(pixelsHigh, forKey: "pixelsHigh")
  }

  /// Decodes the object; nil if the archive holds something else.
  public required init?(coder: NSCoder) {
    guard coder.containsValue(forKey: "pixelsWide"), coder.containsValue(forKey: "pixelsHigh") else { return nil }
    pixelsWide = coder.decodeInteger(forKey: "pixelsWide")
    pixelsHigh = coder.decodeInteger(forKey: "pixelsHigh")
    super.init()
  }

  /// Whether the other object is of this class and has equal contents.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLImageSize else { return false }
    return pixelsWide == other.pixelsWide && pixelsHigh == other.pixelsHigh
  }

  override open var hash: Int { pixelsWide.hashValue }

  /// A human-readable description.
  override open var description: String { "\(pixelsWide) x \(pixelsHigh)" }
}
