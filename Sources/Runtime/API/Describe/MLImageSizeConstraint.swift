import Foundation

/// Sizes that an image feature may have besides the one its constraint names.
// Sendable: never changed once it is made
open class MLImageSizeConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// Which of the other members count.
  open internal(set) var type: MLImageSizeConstraintType = .unspecified
  /// Widths, in pixels; meaningful when `type` is `.range`.
  open internal(set) var pixelsWideRange: NSRange = NSRange()
  /// Heights, in pixels; meaningful when `type` is `.range`.
  open internal(set) var pixelsHighRange: NSRange = NSRange()
  /// Meaningful when `type` is `.enumerated`.
  open internal(set) var enumeratedImageSizes: [MLImageSize] = []

  /// For subclasses that stand for one in tests: everything is empty.
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

  /// Itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Archives of constraints may be read where classes are asked for.
  open class var supportsSecureCoding: Bool { true }

  /// Writes what the constraint says.
  open func encode(with coder: NSCoder) {
    coder.encode(type.rawValue, forKey: "type")
    coder.encode(ranges: [pixelsWideRange, pixelsHighRange], forKey: "ranges")
    coder.encode(enumeratedImageSizes as NSArray, forKey: "sizes")
  }

  /// One from an archive; nil for an archive of something else.
  public required init?(coder: NSCoder) {
    guard let type = coder.choice(MLImageSizeConstraintType.self, forKey: "type"),
      let ranges = coder.ranges(forKey: "ranges"), ranges.count == 2,
      let sizes = coder.objects(of: MLImageSize.self, forKey: "sizes")
    else { return nil }
    self.type = type
    (pixelsWideRange, pixelsHighRange, enumeratedImageSizes) = (ranges[0], ranges[1], sizes)
    super.init()
  }

  /// Whether the other object says the same.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLImageSizeConstraint else { return false }
    return type == other.type && pixelsWideRange == other.pixelsWideRange && pixelsHighRange == other.pixelsHighRange
      && enumeratedImageSizes == other.enumeratedImageSizes
  }

  override open var hash: Int { type.hashValue }
}
