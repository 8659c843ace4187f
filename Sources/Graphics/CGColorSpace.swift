// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreMLImages
import Foundation

/// The meaning of pixel values: gray, or red, green and blue in sRGB. Colors are never converted between spaces.
public final class CGColorSpace: _CFObject, Sendable {
  /// The number of components of a color, without alpha.
  public let numberOfComponents: Int
  private let word: String

  private init(_ word: String, components: Int) { (self.word, numberOfComponents) = (word, components) }

  /// Creates a space by name: `sRGB` or `genericGrayGamma2_2`. Nil for others, which would need color conversion.
  public convenience init?(name: CFString) {
    switch name {
    case CGColorSpace.sRGB: self.init("\(name)", components: 3)
    case CGColorSpace.genericGrayGamma2_2: self.init("\(name)", components: 1)
    default: return nil
    }
  }

  fileprivate static let deviceRGB = CGColorSpace("kCGColorSpaceDeviceRGB", components: 3)
  fileprivate static let deviceGray = CGColorSpace("kCGColorSpaceDeviceGray", components: 1)

  /// The name of the space.
  public var name: CFString? { NSString(string: word) }

  /// Whether both are the same space. Device spaces differ from all named spaces.
  public static func == (lhs: CGColorSpace, rhs: CGColorSpace) -> Bool { lhs.word == rhs.word }
  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(word) }

  /// Red, green and blue in sRGB.
  nonisolated(unsafe) public static let sRGB: CFString = "kCGColorSpaceSRGB"
  /// Gray.
  nonisolated(unsafe) public static let genericGrayGamma2_2: CFString = "kCGColorSpaceGenericGrayGamma2_2"

  /// Whether colors are gray or RGB.
  public var model: CGColorSpaceModel { numberOfComponents == 1 ? .monochrome : .rgb }
}

/// The color model of a space.
public enum CGColorSpaceModel: Int32, Sendable {
  /// Gray.
  case monochrome = 0
  /// Red, green and blue.
  case rgb = 1
}

/// The device's RGB space.
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { .deviceRGB }

/// The device's gray space.
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace { .deviceGray }
