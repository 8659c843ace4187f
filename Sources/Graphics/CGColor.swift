import CoreMLImages
import Foundation

/// A fill or stroke color.
public final class CGColor: _CFObject, Sendable {
  /// The color space of the components.
  public let colorSpace: CGColorSpace?
  /// Components from 0 to 1: gray, or red, green and blue, followed by alpha.
  private let numbers: [CGFloat]

  private init(_ space: CGColorSpace, _ numbers: [CGFloat]) { (colorSpace, self.numbers) = (space, numbers) }

  /// Creates a gray.
  public convenience init(gray: CGFloat, alpha: CGFloat) { self.init(CGColorSpaceCreateDeviceGray(), [gray, alpha]) }

  /// Creates a color from red, green and blue.
  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(CGColorSpaceCreateDeviceRGB(), [red, green, blue, alpha])
  }

  /// Creates a color from red, green and blue.
  public convenience init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(CGColorSpace(name: CGColorSpace.sRGB) ?? CGColorSpaceCreateDeviceRGB(), [red, green, blue, alpha])
  }

  /// Creates a color from a space's components followed by alpha.
  public convenience init?(colorSpace space: CGColorSpace, components: UnsafePointer<CGFloat>) {
    self.init(space, (0...space.numberOfComponents).map { components[$0] })
  }

  /// Components from 0 to 1: gray, or red, green and blue, followed by alpha.
  public var components: [CGFloat]? { numbers }
  /// The number of components, including alpha.
  public var numberOfComponents: Int { numbers.count }
  /// The opacity from 0 to 1.
  public var alpha: CGFloat { numbers.last ?? 1 }

  /// Opaque black.
  public static let black = CGColor(gray: 0, alpha: 1)
  /// Opaque white.
  public static let white = CGColor(gray: 1, alpha: 1)
  /// Fully transparent.
  public static let clear = CGColor(gray: 0, alpha: 0)

  /// Red, green, blue and alpha.
  var channels: (CGFloat, CGFloat, CGFloat, CGFloat) {
    numbers.count < 4 ? (numbers[0], numbers[0], numbers[0], alpha) : (numbers[0], numbers[1], numbers[2], alpha)
  }

  /// Whether both have the same components and color space.
  public static func == (lhs: CGColor, rhs: CGColor) -> Bool {
    lhs.numbers == rhs.numbers && lhs.colorSpace == rhs.colorSpace
  }
  /// Hashes the components.
  public func hash(into hasher: inout Hasher) { hasher.combine(numbers) }
}
