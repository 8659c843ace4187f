import Foundation

/// A width and a height, in pixels.
// Sendable: never changed once it is made
open class MLImageSize: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// Pixels in a row.
  open internal(set) var pixelsWide: Int = 0
  /// Rows of pixels.
  open internal(set) var pixelsHigh: Int = 0

  /// For subclasses that stand for one in tests: everything is empty.
  override public init() { super.init() }

  convenience init(pixelsWide: Int, pixelsHigh: Int) {
    self.init()
    self.pixelsWide = pixelsWide
    self.pixelsHigh = pixelsHigh
  }

  /// Itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Archives of sizes may be read where classes are asked for.
  open class var supportsSecureCoding: Bool { true }

  /// Writes what the size says.
  open func encode(with coder: NSCoder) {
    coder.encode(pixelsWide, forKey: "pixelsWide")
    coder.encode(pixelsHigh, forKey: "pixelsHigh")
  }

  /// One from an archive; nil for an archive of something else.
  public required init?(coder: NSCoder) {
    guard coder.containsValue(forKey: "pixelsWide"), coder.containsValue(forKey: "pixelsHigh") else { return nil }
    pixelsWide = coder.decodeInteger(forKey: "pixelsWide")
    pixelsHigh = coder.decodeInteger(forKey: "pixelsHigh")
    super.init()
  }

  /// Whether the other object says the same.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLImageSize else { return false }
    return pixelsWide == other.pixelsWide && pixelsHigh == other.pixelsHigh
  }

  override open var hash: Int { pixelsWide.hashValue }

  /// As people read it.
  override open var description: String { "\(pixelsWide) x \(pixelsHigh)" }
}
