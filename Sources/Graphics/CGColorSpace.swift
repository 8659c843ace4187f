// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreMLImages
import Foundation

/// What numbers of pixels stand for: gray, or red, green and blue as sRGB has them. Colours are never converted.
public final class CGColorSpace: _CFObject, Sendable {
  /// How many numbers a colour is.
  public let numberOfComponents: Int
  private let word: String

  private init(_ word: String, components: Int) { (self.word, numberOfComponents) = (word, components) }

  /// The space of a name: `sRGB` or `genericGrayGamma2_2`. Nil for others, whose colours would have to be converted.
  public convenience init?(name: CFString) {
    switch name {
    case CGColorSpace.sRGB: self.init("\(name)", components: 3)
    case CGColorSpace.genericGrayGamma2_2: self.init("\(name)", components: 1)
    default: return nil
    }
  }

  fileprivate static let deviceRGB = CGColorSpace("kCGColorSpaceDeviceRGB", components: 3)
  fileprivate static let deviceGray = CGColorSpace("kCGColorSpaceDeviceGray", components: 1)

  /// The name that the space is known by.
  public var name: CFString? { NSString(string: word) }

  /// Whether both are one space: those that devices have are none of those with a name.
  public static func == (lhs: CGColorSpace, rhs: CGColorSpace) -> Bool { lhs.word == rhs.word }
  /// Of the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(word) }

  /// Red, green and blue, as sRGB has them.
  nonisolated(unsafe) public static let sRGB: CFString = "kCGColorSpaceSRGB"
  /// Gray.
  nonisolated(unsafe) public static let genericGrayGamma2_2: CFString = "kCGColorSpaceGenericGrayGamma2_2"

  /// Whether colours are gray or of three parts.
  public var model: CGColorSpaceModel { numberOfComponents == 1 ? .monochrome : .rgb }
}

/// What the numbers of colours are.
public enum CGColorSpaceModel: Int32, Sendable {
  /// Gray.
  case monochrome = 0
  /// Red, green and blue.
  case rgb = 1
}

/// Red, green and blue.
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { .deviceRGB }

/// Gray.
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace { .deviceGray }
