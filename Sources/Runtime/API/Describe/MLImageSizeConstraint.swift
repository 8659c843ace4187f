import Foundation

/// The sizes that an image feature may have besides the size in its `MLImageConstraint`.
// Sendable: immutable after initialization
open class MLImageSizeConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// Selects which of the other properties apply.
  open internal(set) var type: MLImageSizeConstraintType = .unspecified
  /// The allowed widths in pixels, if `type` is `.range`.
  open internal(set) var pixelsWideRange: NSRange = NSRange()
  /// The allowed heights in pixels, if `type` is `.range`.
  open internal(set) var pixelsHighRange: NSRange = NSRange()
  /// The allowed sizes, if `type` is `.enumerated`.
  open internal(set) var enumeratedImageSizes: [MLImageSize] = []

  /// Creates an empty object, for subclasses that act as test doubles.
  override public init() { super.init() }

  convenience init(sizes: [MLImageSize]) {
    self.init()
    type = .enumerated
    enumeratedImageSizes = sizes
  }

  convenience init(wide: NSRange, high: NSRange) {
    self.init()
    type = .range
    (pixelsWideRange, pixelsHighRange) = (wide, high)
  }

  /// Returns `self`; the object is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Constraints support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the constraint.
  open func encode(with coder: NSCoder) {
    coder.encode(type.rawValue, forKey: "type")
    coder.encode(ranges: [pixelsWideRange, pixelsHighRange], forKey: "ranges")
    coder.encode(enumeratedImageSizes as NSArray, forKey: "sizes")
  }

  /// Decodes the object; nil if the archive holds something else.
  public required init?(coder: NSCoder) {
    guard let type = coder.choice(MLImageSizeConstraintType.self, forKey: "type"),
      let ranges = coder.ranges(forKey: "ranges"), ranges.count == 2,
      let sizes = coder.objects(of: MLImageSize.self, forKey: "sizes")
    else { return nil }
    self.type = type
    (pixelsWideRange, pixelsHighRange, enumeratedImageSizes) = (ranges[0], ranges[1], sizes)
    super.init()
  }

  /// Whether the other object is of this class and has equal contents.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLImageSizeConstraint else { return false }
    return type == other.type && pixelsWideRange == other.pixelsWideRange && pixelsHighRange == other.pixelsHighRange
      && enumeratedImageSizes == other.enumeratedImageSizes
  }

  override open var hash: Int { type.hashValue }
}
