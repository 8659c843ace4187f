import CoreMLImages
import Foundation

/// A path of lines and curves. Paths with the same elements are equal.
public class CGPath: _CFObject {
  /// An element of a path, which starts at the end of the previous one.
  enum Element: Hashable {
    case move(CGPoint)
    case line(CGPoint)
    case quadratic(CGPoint, CGPoint)
    case cubic(CGPoint, CGPoint, CGPoint)
    case close

    /// The points in order; the last one is the end of the element.
    var points: [CGPoint] {
      switch self {
      case .move(let end), .line(let end): [end]
      case .quadratic(let control, let end): [control, end]
      case .cubic(let first, let second, let end): [first, second, end]
      case .close: []
      }
    }

    func applying(_ map: CGAffineTransform) -> Element {
      switch self {
      case .move(let end): .move(end.applying(map))
      case .line(let end): .line(end.applying(map))
      case .quadratic(let control, let end): .quadratic(control.applying(map), end.applying(map))
      case .cubic(let first, let second, let end):
        .cubic(first.applying(map), second.applying(map), end.applying(map))
      case .close: .close
      }
    }
  }

  /// Changed only by `CGMutablePath`.
  fileprivate(set) var elements: [Element] = []

  init(elements: [Element]) { self.elements = elements }

  /// Creates a rectangle.
  public convenience init(rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    self.init { $0.addRect(rect, transform: transform?.pointee ?? .identity) }
  }

  /// Creates an ellipse inscribed in a rectangle.
  public convenience init(ellipseIn rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    self.init { $0.addEllipse(in: rect, transform: transform?.pointee ?? .identity) }
  }

  /// Creates a rectangle with round corners.
  public convenience init(
    roundedRect rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat, transform: UnsafePointer<CGAffineTransform>?
  ) {
    self.init {
      $0.addRoundedRect(
        in: rect, cornerWidth: cornerWidth, cornerHeight: cornerHeight, transform: transform?.pointee ?? .identity)
    }
  }

  private convenience init(_ build: (CGMutablePath) -> Void) {
    let path = CGMutablePath()
    build(path)
    self.init(elements: path.elements)
  }

  /// Whether both have the same elements.
  public static func == (lhs: CGPath, rhs: CGPath) -> Bool { lhs.elements == rhs.elements }
  /// Hashes the elements.
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }

  /// Whether the path has no elements.
  public var isEmpty: Bool { elements.isEmpty }

  /// The end of the last element; the origin for an empty path.
  public var currentPoint: CGPoint { place ?? .zero }

  /// The end of the last element.
  var place: CGPoint? {
    guard case .close? = elements.last else { return elements.last?.points.last }
    for case .move(let start) in elements.reversed() { return start }
    return nil
  }

  /// The bounding box of all points, including control points.
  public var boundingBox: CGRect { CGRect(around: elements.flatMap(\.points)) }

  /// The bounding box of the drawn path, without control points.
  public var boundingBoxOfPath: CGRect {
    CGRect(around: FlatPath(elements, tolerance: 0.001).subpaths.flatMap(\.points))
  }

  /// Whether a point is inside.
  public func contains(
    _ point: CGPoint, using rule: CGPathFillRule = .winding, transform: CGAffineTransform = .identity
  ) -> Bool {
    FlatPath(elements.map { $0.applying(transform) }, tolerance: 0.001).contains(point, rule)
  }

  /// A copy of the path.
  public func copy() -> CGPath? { CGPath(elements: elements) }

  /// A transformed copy of the path.
  public func copy(using transform: UnsafePointer<CGAffineTransform>?) -> CGPath? {
    CGPath(elements: elements.map { $0.applying(transform?.pointee ?? .identity) })
  }

  /// A mutable copy of the path.
  public func mutableCopy() -> CGMutablePath? {
    let path = CGMutablePath()
    path.elements = elements
    return path
  }

  /// The outline of the path's stroke, for filling with the rule `winding`.
  public func copy(
    strokingWithWidth lineWidth: CGFloat, lineCap: CGLineCap, lineJoin: CGLineJoin, miterLimit: CGFloat,
    transform: CGAffineTransform = .identity
  ) -> CGPath {
    let style = LineStyle(width: lineWidth, cap: lineCap, join: lineJoin, miterLimit: miterLimit)
    let lines = FlatPath(elements.map { $0.applying(transform) }, tolerance: 0.05)
    return CGPath(outlines: LineOutline(lines, style, scale: 1).polygons)
  }

  /// The dashes of the path.
  public func copy(
    dashingWithPhase phase: CGFloat, lengths: [CGFloat], transform: CGAffineTransform = .identity
  ) -> CGPath {
    let lines = FlatPath(elements.map { $0.applying(transform) }, tolerance: 0.05).dashed(
      phase: phase, lengths: lengths)
    return CGPath(elements: lines.subpaths.flatMap { $0.elements })
  }

  convenience init(outlines: [[CGPoint]]) {
    self.init(elements: outlines.flatMap { FlatPath.Subpath(points: $0, isClosed: true).elements })
  }
}

/// A path that can be extended. Elements with infinite or NaN coordinates are ignored.
public final class CGMutablePath: CGPath {
  /// Creates an empty path.
  public init() { super.init(elements: []) }

  func add(_ element: Element, _ map: CGAffineTransform) {
    let element = element.applying(map)
    guard element.points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return }
    elements.append(element)
  }
}

extension CGRect {
  /// The bounding box of points; `null` for none.
  init(around points: [CGPoint]) {
    guard let first = points.first else {
      self = .null
      return
    }
    var (low, high) = (first, first)
    for point in points {
      low = CGPoint(x: min(low.x, point.x), y: min(low.y, point.y))
      high = CGPoint(x: max(high.x, point.x), y: max(high.y, point.y))
    }
    self.init(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
  }
}

/// The rule for the inside of a path that crosses itself.
public enum CGPathFillRule: Int, Sendable {
  /// Points with a nonzero winding number.
  case winding = 0
  /// Points with an odd number of crossings.
  case evenOdd = 1
}
