import CoreMLImages
import Foundation

/// What an image feature must be: pixel format and size.
// Sendable: never changed once it is made
open class MLImageConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The height to give, in pixels, unless `sizeConstraint` allows another.
  open internal(set) var pixelsHigh: Int = 0
  /// The width to give, in pixels, unless `sizeConstraint` allows another.
  open internal(set) var pixelsWide: Int = 0
  /// A `kCVPixelFormatType_` constant.
  open internal(set) var pixelFormatType: UInt32 = kCVPixelFormatType_32BGRA
  /// Which other sizes may be given.
  open internal(set) var sizeConstraint: MLImageSizeConstraint = MLImageSizeConstraint()

  /// For subclasses that stand for one in tests: everything is empty.
  override public init() { super.init() }

  convenience init(
    pixelsHigh: Int, pixelsWide: Int, pixelFormatType: UInt32,
    sizeConstraint: MLImageSizeConstraint = MLImageSizeConstraint()
  ) {
    self.init()
    self.pixelsHigh = pixelsHigh
    self.pixelsWide = pixelsWide
    self.pixelFormatType = pixelFormatType
    self.sizeConstraint = sizeConstraint
  }

  /// Itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Archives of constraints may be read where classes are asked for.
  open class var supportsSecureCoding: Bool { true }

  /// Writes what the constraint says.
  open func encode(with coder: NSCoder) {
    coder.encode(pixelsHigh, forKey: "pixelsHigh")
    coder.encode(pixelsWide, forKey: "pixelsWide")
    coder.encode(Int(pixelFormatType), forKey: "pixelFormatType")
    coder.encode(sizeConstraint, forKey: "sizeConstraint")
  }

  /// One from an archive; nil for an archive of something else.
  public required init?(coder: NSCoder) {
    guard let format = UInt32(exactly: coder.decodeInteger(forKey: "pixelFormatType")),
      let sizes = coder.object(of: MLImageSizeConstraint.self, forKey: "sizeConstraint")
    else { return nil }
    pixelsHigh = coder.decodeInteger(forKey: "pixelsHigh")
    pixelsWide = coder.decodeInteger(forKey: "pixelsWide")
    (pixelFormatType, sizeConstraint) = (format, sizes)
    super.init()
  }

  /// Whether the other object says the same.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLImageConstraint else { return false }
    return pixelsHigh == other.pixelsHigh && pixelsWide == other.pixelsWide && pixelFormatType == other.pixelFormatType
      && sizeConstraint == other.sizeConstraint
  }

  override open var hash: Int { pixelsHigh.hashValue }

  /// As people read it.
  override open var description: String { "Image (\(isColour ? "Color" : "Grayscale"), \(pixelsWide) x \(pixelsHigh))" }

  /// Whether an image of this size may be given.
  package func allows(wide: Int, high: Int) -> Bool {
    switch sizeConstraint.type {
    case .unspecified: wide == pixelsWide && high == pixelsHigh
    case .enumerated:
      wide == pixelsWide && high == pixelsHigh
        || sizeConstraint.enumeratedImageSizes.contains { $0.pixelsWide == wide && $0.pixelsHigh == high }
    case .range:
      sizeConstraint.pixelsWideRange.contains(wide) && sizeConstraint.pixelsHighRange.contains(high)
    }
  }

  /// Whether an image may be given: of an allowed size, and gray or colour as the format is.
  func allows(_ image: PixelBuffer) -> Bool {
    allows(wide: image.width, high: image.height) && Self.isColour(image.pixelFormatType) == isColour
  }

  private var isColour: Bool { Self.isColour(pixelFormatType) ?? false }

  /// Nil for formats that no model takes.
  private static func isColour(_ format: UInt32) -> Bool? {
    switch format {
    case kCVPixelFormatType_32BGRA, kCVPixelFormatType_32ARGB: true
    case kCVPixelFormatType_OneComponent8, kCVPixelFormatType_OneComponent16Half: false
    default: nil
    }
  }
}
