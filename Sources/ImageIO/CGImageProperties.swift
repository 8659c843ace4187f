// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreGraphics
import CoreMLImages
import Foundation

/// The stored width in pixels.
nonisolated(unsafe) public let kCGImagePropertyPixelWidth: CFString = "PixelWidth"
/// The stored height in pixels.
nonisolated(unsafe) public let kCGImagePropertyPixelHeight: CFString = "PixelHeight"
/// The raw value of a `CGImagePropertyOrientation`; absent if the file has none.
nonisolated(unsafe) public let kCGImagePropertyOrientation: CFString = "Orientation"
/// Whether pixels have alpha.
nonisolated(unsafe) public let kCGImagePropertyHasAlpha: CFString = "HasAlpha"
/// The color model.
nonisolated(unsafe) public let kCGImagePropertyColorModel: CFString = "ColorModel"
/// Red, green and blue.
nonisolated(unsafe) public let kCGImagePropertyColorModelRGB: CFString = "RGB"
/// Gray.
nonisolated(unsafe) public let kCGImagePropertyColorModelGray: CFString = "Gray"
/// Cyan, magenta, yellow and black.
nonisolated(unsafe) public let kCGImagePropertyColorModelCMYK: CFString = "CMYK"

/// The header of an image, by the keys above; nil if there is no image with this index.
public func CGImageSourceCopyPropertiesAtIndex(
  _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? {
  guard index == 0, let header = try? isrc.header.get() else { return nil }
  var properties: [NSString: Any] = [
    kCGImagePropertyPixelWidth: NSNumber(value: header.width),
    kCGImagePropertyPixelHeight: NSNumber(value: header.height),
    kCGImagePropertyColorModel: header.colours.name,
  ]
  if header.hasAlpha { properties[kCGImagePropertyHasAlpha] = NSNumber(value: true) }
  if let orientation = header.orientation {
    properties[kCGImagePropertyOrientation] = NSNumber(value: orientation.rawValue)
  }
  return properties as NSDictionary
}

extension PictureHeader.Colours {
  fileprivate var name: NSString {
    switch self {
    case .gray: kCGImagePropertyColorModelGray
    case .rgb: kCGImagePropertyColorModelRGB
    case .cmyk: kCGImagePropertyColorModelCMYK
    }
  }
}
