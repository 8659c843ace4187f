import CoreMLImages
import Foundation

/// The constraint of an image feature: its pixel format and size.
// Sendable: immutable after initialization
open class MLImageConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The required height in pixels, unless `sizeConstraint` allows another.
  open internal(set) var pixelsHigh: Int = 0
  /// The required width in pixels, unless `sizeConstraint` allows another.
  open internal(set) var pixelsWide: Int = 0
  /// A `kCVPixelFormatType_` constant.
  open internal(set) var pixelFormatType: UInt32 = kCVPixelFormatType_32BGRA
  /// The other sizes that are allowed.
  open internal(set) var sizeConstraint: MLImageSizeConstraint = MLImageSizeConstraint()

  /// Creates an empty object, for subclasses that act as test doubles.
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

  /// Returns `self`; the object is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Constraints support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the constraint.
  open func encode(with coder: NSCoder) {
    coder.encode(pixelsHigh, forKey: "pixelsHigh")
    coder.encode(pixelsWide, forKey: "pixelsWide")
    coder.encode(Int(pixelFormatType), forKey: "pixelFormatType")
    coder.encode(sizeConstraint, forKey: "sizeConstraint")
  }

  /// Decodes the object; nil if the archive holds something else.
  public required init?(coder: NSCoder) {
    guard let format = UInt32(exactly: coder.decodeInteger(forKey: "pixelFormatType")),
      let sizes = coder.object(of: MLImageSizeConstraint.self, forKey: "sizeConstraint")
    else { return nil }
    pixelsHigh = coder.decodeInteger(forKey: "pixelsHigh")
    pixelsWide = coder.decodeInteger(forKey: "pixelsWide")
    (pixelFormatType, sizeConstraint) = (format, sizes)
    super.init()
  }

  /// Whether the other object is of this class and has equal contents.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLImageConstraint else { return false }
    return pixelsHigh == other.pixelsHigh && pixelsWide == other.pixelsWide && pixelFormatType == other.pixelFormatType
      && sizeConstraint == other.sizeConstraint
  }

  override open var hash: Int { pixelsHigh.hashValue }

  /// A human-readable description.
  override open var description: String { "Image (\(isColour ? "Color" : "Grayscale"), \(pixelsWide) x \(pixelsHigh))" }

  /// Whether an image of this size in pixels is allowed.
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

  /// Whether an image is allowed: its size must be allowed, and it must be grayscale or colour like the declared
  /// format.
  func allows(_ image: PixelBuffer) -> Bool {
    allows(wide: image.width, high: image.height) && Self.isColour(image.pixelFormatType) == isColour
  }

  private var isColour: Bool { Self.isColour(pixelFormatType) ?? false }

  /// Returns nil for formats that no model accepts.
  private static func isColour(_ format: UInt32) -> Bool? {
    switch format {
    case kCVPixelFormatType_32BGRA, kCVPixelFormatType_32ARGB: true
    case kCVPixelFormatType_OneComponent8, kCVPixelFormatType_OneComponent16Half: false
    default: nil
    }
  }
}
