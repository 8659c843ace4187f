// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreGraphics
import CoreMLImages
import Foundation

/// Pixels in a row, as they are stored.
nonisolated(unsafe) public let kCGImagePropertyPixelWidth: CFString = "PixelWidth"
/// Rows of pixels, as they are stored.
nonisolated(unsafe) public let kCGImagePropertyPixelHeight: CFString = "PixelHeight"
/// The raw value of a `CGImagePropertyOrientation`; not there where the file tells none.
nonisolated(unsafe) public let kCGImagePropertyOrientation: CFString = "Orientation"
/// Whether pixels say how opaque they are.
nonisolated(unsafe) public let kCGImagePropertyHasAlpha: CFString = "HasAlpha"
/// What colours are made of.
nonisolated(unsafe) public let kCGImagePropertyColorModel: CFString = "ColorModel"
/// Red, green and blue.
nonisolated(unsafe) public let kCGImagePropertyColorModelRGB: CFString = "RGB"
/// Gray.
nonisolated(unsafe) public let kCGImagePropertyColorModelGray: CFString = "Gray"
/// Inks.
nonisolated(unsafe) public let kCGImagePropertyColorModelCMYK: CFString = "CMYK"

/// What the head of a picture says of it, by the keys above; nil where there is no picture of this index.
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
