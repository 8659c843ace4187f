import CoreMLImages
import Foundation

/// A colour to fill with.
public final class CGColor: _CFObject, Sendable {
  /// What its numbers stand for.
  public let colorSpace: CGColorSpace?
  /// From 0 to 1: gray, or red, green and blue, and how opaque it is.
  private let numbers: [CGFloat]

  private init(_ space: CGColorSpace, _ numbers: [CGFloat]) { (colorSpace, self.numbers) = (space, numbers) }

  /// Gray.
  public convenience init(gray: CGFloat, alpha: CGFloat) { self.init(CGColorSpaceCreateDeviceGray(), [gray, alpha]) }

  /// Red, green and blue.
  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(CGColorSpaceCreateDeviceRGB(), [red, green, blue, alpha])
  }

  /// Red, green and blue.
  public convenience init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(CGColorSpace(name: CGColorSpace.sRGB) ?? CGColorSpaceCreateDeviceRGB(), [red, green, blue, alpha])
  }

  /// A colour of a space's numbers and how opaque it is, which is the last one; nil without them.
  public convenience init?(colorSpace space: CGColorSpace, components: UnsafePointer<CGFloat>) {
    self.init(space, (0...space.numberOfComponents).map { components[$0] })
  }

  /// From 0 to 1: gray, or red, green and blue, and how opaque it is.
  public var components: [CGFloat]? { numbers }
  /// How many numbers there are.
  public var numberOfComponents: Int { numbers.count }
  /// How opaque it is.
  public var alpha: CGFloat { numbers.last ?? 1 }

  /// Opaque black.
  public static let black = CGColor(gray: 0, alpha: 1)
  /// Opaque white.
  public static let white = CGColor(gray: 1, alpha: 1)
  /// Nothing.
  public static let clear = CGColor(gray: 0, alpha: 0)

  /// Red, green, blue and alpha.
  var channels: (CGFloat, CGFloat, CGFloat, CGFloat) {
    numbers.count < 4 ? (numbers[0], numbers[0], numbers[0], alpha) : (numbers[0], numbers[1], numbers[2], alpha)
  }

  /// Whether both have the same numbers in the same space.
  public static func == (lhs: CGColor, rhs: CGColor) -> Bool {
    lhs.numbers == rhs.numbers && lhs.colorSpace == rhs.colorSpace
  }
  /// Of the numbers.
  public func hash(into hasher: inout Hasher) { hasher.combine(numbers) }
}
