import Foundation

/// The shapes that a multi-array may have.
// Sendable: immutable after initialization
open class MLMultiArrayShapeConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// Selects which of the other properties apply.
  open internal(set) var type: MLMultiArrayShapeConstraintType = .unspecified
  /// The allowed sizes of each axis as `NSRange`s (upper bound excluded), if `type` is `.range`.
  open internal(set) var sizeRangeForDimension: [NSValue] = []
  /// The allowed shapes, if `type` is `.enumerated`.
  open internal(set) var enumeratedShapes: [[NSNumber]] = []
  /// The ranges that `sizeRangeForDimension` wraps.
  private(set) var ranges: [NSRange] = []

  /// Creates an empty object, for subclasses that act as test doubles.
  override public init() { super.init() }

  convenience init(type: MLMultiArrayShapeConstraintType, ranges: [NSRange], enumeratedShapes: [[NSNumber]]) {
    self.init()
    self.type = type
    self.ranges = ranges
    self.enumeratedShapes = enumeratedShapes
    sizeRangeForDimension = ranges.map { NSValue(range: $0) }
  }

  /// Returns `self`; the object is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: archives

  /// Constraints support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the constraint.
  open func encode(with coder: NSCoder) {
    coder.encode(type.rawValue, forKey: "type")
    coder.encode(ranges: ranges, forKey: "ranges")
    coder.encode(shapes: enumeratedShapes, forKey: "shapes")
  }

  /// Decodes the object; nil if the archive holds something else.
  public required init?(coder: NSCoder) {
    guard let type = coder.choice(MLMultiArrayShapeConstraintType.self, forKey: "type"),
      let ranges = coder.ranges(forKey: "ranges"), let shapes = coder.shapes(forKey: "shapes")
    else { return nil }
    (self.type, self.ranges, enumeratedShapes) = (type, ranges, shapes)
    sizeRangeForDimension = ranges.map { NSValue(range: $0) }
    super.init()
  }

  /// Whether the other object is of this class and has equal contents.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLMultiArrayShapeConstraint else { return false }
    return type == other.type && sizeRangeForDimension == other.sizeRangeForDimension
      && enumeratedShapes == other.enumeratedShapes
  }

  override open var hash: Int { type.hashValue }

  package func allows(_ shape: [Int], declared: [Int]) -> Bool {
    switch type {
    case .unspecified: declared.isEmpty || shape == declared
    case .enumerated: enumeratedShapes.contains { $0.map(\.intValue) == shape }
    case .range:
      shape.count == ranges.count
        && zip(shape, ranges).allSatisfy { $0 >= $1.location && $0 - $1.location < $1.length }
    }
  }

  /// Why a shape is not allowed, with Core ML's own wording, because users search for it.
  package func refusal(of shape: [Int], declared: [Int]) -> String {
    let found = "has the shape \(shape)"
    switch type {
    case .unspecified:
      return "\(found): MultiArray shape (\(Self.sizes(shape))) does not match the shape (\(Self.sizes(declared))) "
        + "specified in the model description"
    case .enumerated:
      let most = 8
      let named = enumeratedShapes.prefix(most).map { "\($0.map(\.intValue))" }
      let more = enumeratedShapes.count > most ? " and \(enumeratedShapes.count - most) more" : ""
      return "\(found): MultiArray Shape (\(Self.sizes(shape))) was not in enumerated set of allowed shapes "
        + named.joined(separator: ", ") + more
    case .range:
      let bounds = ranges.map { $0.upperBound == .max ? "\($0.location).." : "\($0.location)..\($0.upperBound - 1)" }
      guard shape.count == ranges.count,
        let axis = shape.indices.first(where: { !NSLocationInRange(shape[$0], ranges[$0]) })
      else { return "\(found), expected [\(bounds.joined(separator: ", "))]" }
      return "\(found): Size (\(shape[axis])) of dimension (\(axis)) is not in allowed range (\(bounds[axis]))"
    }
  }

  private static func sizes(_ shape: [Int]) -> String { shape.map(String.init).joined(separator: " x ") }
}
