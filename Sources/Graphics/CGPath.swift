import CoreMLImages
import Foundation

/// Lines and curves. Paths with the same elements are equal.
public class CGPath: _CFObject {
  /// A part of a path, from where the one before ends.
  enum Element: Hashable {
    case move(CGPoint)
    case line(CGPoint)
    case quadratic(CGPoint, CGPoint)
    case cubic(CGPoint, CGPoint, CGPoint)
    case close

    /// The points in order; the last one is where the element ends.
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

  /// Changed by `CGMutablePath` alone.
  fileprivate(set) var elements: [Element] = []

  init(elements: [Element]) { self.elements = elements }

  /// A rectangle.
  public convenience init(rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    self.init { $0.addRect(rect, transform: transform?.pointee ?? .identity) }
  }

  /// An ellipse that fills a rectangle.
  public convenience init(ellipseIn rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    self.init { $0.addEllipse(in: rect, transform: transform?.pointee ?? .identity) }
  }

  /// A rectangle with round corners.
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
  /// Of the elements.
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }

  /// Whether there is nothing in it.
  public var isEmpty: Bool { elements.isEmpty }

  /// Where the last element ends; the origin of an empty path.
  public var currentPoint: CGPoint { place ?? .zero }

  /// Where the last element ends.
  var place: CGPoint? {
    guard case .close? = elements.last else { return elements.last?.points.last }
    for case .move(let start) in elements.reversed() { return start }
    return nil
  }

  /// The smallest rectangle around all points, those included that curves are only drawn towards.
  public var boundingBox: CGRect { CGRect(around: elements.flatMap(\.points)) }

  /// The smallest rectangle around what is drawn.
  public var boundingBoxOfPath: CGRect {
    CGRect(around: FlatPath(elements, tolerance: 0.001).subpaths.flatMap(\.points))
  }

  /// Whether a point lies inside.
  public func contains(
    _ point: CGPoint, using rule: CGPathFillRule = .winding, transform: CGAffineTransform = .identity
  ) -> Bool {
    FlatPath(elements.map { $0.applying(transform) }, tolerance: 0.001).contains(point, rule)
  }

  /// A path of the same elements.
  public func copy() -> CGPath? { CGPath(elements: elements) }

  /// A path of the same elements, each moved by a map.
  public func copy(using transform: UnsafePointer<CGAffineTransform>?) -> CGPath? {
    CGPath(elements: elements.map { $0.applying(transform?.pointee ?? .identity) })
  }

  /// A path of the same elements that more can be added to.
  public func mutableCopy() -> CGMutablePath? {
    let path = CGMutablePath()
    path.elements = elements
    return path
  }

  /// What a line along the path covers, for filling with the rule `winding`.
  public func copy(
    strokingWithWidth lineWidth: CGFloat, lineCap: CGLineCap, lineJoin: CGLineJoin, miterLimit: CGFloat,
    transform: CGAffineTransform = .identity
  ) -> CGPath {
    let style = LineStyle(width: lineWidth, cap: lineCap, join: lineJoin, miterLimit: miterLimit)
    let lines = FlatPath(elements.map { $0.applying(transform) }, tolerance: 0.05)
    return CGPath(outlines: LineOutline(lines, style, scale: 1).polygons)
  }

  /// The path's dashes.
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

/// Lines and curves that more can be added to. Elements with NaN coordinates are ignored.
public final class CGMutablePath: CGPath {
  /// An empty path.
  public init() { super.init(elements: []) }

  func add(_ element: Element, _ map: CGAffineTransform) {
    let element = element.applying(map)
    guard element.points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return }
    elements.append(element)
  }
}

extension CGRect {
  /// The smallest rectangle around points; `null` around none.
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

/// What is inside a path that crosses itself.
public enum CGPathFillRule: Int, Sendable {
  /// What the path goes around more often in one direction than in the other.
  case winding = 0
  /// What lies behind an odd number of lines.
  case evenOdd = 1
}
