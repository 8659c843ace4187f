import CImages
import CoreMLBase
import CoreMLImages
import CoreMLRuntime
import CoreMLSpec
import Foundation

/// Converts images in files to features, and image outputs to arrays.
public enum ImageFiles {
  /// An image of a conformance case: an image file, or an `.npy` array of fp16 gray values. It is in the folder of the
  /// case or below it.
  static func feature(_ json: [String: Any], _ description: MLFeatureDescription, images: ImageSource) throws
    -> MLFeatureValue
  {
    guard let file = json["file"] as? String, !file.contains(".."), !file.hasPrefix("/") else {
      throw FeatureFileError(.invalid, "the feature '\(description.name)' names no image file")
    }
    let path = try images.path(of: file, for: description.name)
    guard file.hasSuffix(".npy") else { return try feature(path, description) }
    guard let data = OpenFile.contents(atPath: path) else {
      throw FeatureFileError(.unreadable, "\(path) cannot be read")
    }
    let array = try NPYArray(npy: data, path)
    guard array.shape.count == 2 else { throw FeatureFileError(.invalid, "\(path) is no gray image") }
    let buffer = try PixelBuffer(
      width: array.shape[1], height: array.shape[0], pixelFormatType: kCVPixelFormatType_OneComponent16Half)
    let values = array.doubles
    buffer.withUnsafeMutableBytes { bytes in
      for (index, value) in values.enumerated() {
        bytes.storeBytes(of: Float16(value), toByteOffset: index * 2, as: Float16.self)
      }
    }
    return MLFeatureValue(pixelBuffer: buffer)
  }

  /// An image file (PNG, JPEG, WebP, TIFF, GIF, BMP) converted for the image feature, with its orientation applied.
  ///
  /// - Parameter options: How to scale and crop an image of another size.
  public static func feature(
    _ path: String, _ description: MLFeatureDescription, _ options: [MLFeatureValue.ImageOption: Any]? = nil
  ) throws -> MLFeatureValue {
    guard let constraint = description.imageConstraint else {
      throw FeatureFileError(
        .invalid, "\(path): the feature '\(description.name)' is of type \(description.type), a picture is given")
    }
    return try MLFeatureValue(imageAt: URL(filePath: path), constraint: constraint, options: options)
  }

  /// Whether the bytes start like an image file.
  public static func isPicture(_ bytes: UnsafeRawBufferPointer) -> Bool { PictureFormat(bytes) != nil }

  /// An image in memory converted for the image feature, with its orientation applied.
  public static func feature(
    _ bytes: UnsafeRawBufferPointer, _ description: MLFeatureDescription,
    _ options: [MLFeatureValue.ImageOption: Any]? = nil
  ) throws -> MLFeatureValue {
    guard let constraint = description.imageConstraint else {
      throw FeatureFileError(
        .invalid, "the feature '\(description.name)' is of type \(description.type), a picture is given")
    }
    return try MLFeatureValue(cgImage: CGImage(ImageDecoder.decode(bytes)), constraint: constraint, options: options)
  }

  /// The extensions of image files in lower case.
  public static let extensions = Set(PictureFormat.allCases.flatMap(\.extensions))

  /// Writes an image as PNG, atomically.
  public static func write(_ image: PixelBuffer, to path: String) throws {
    do {
      let file = try FileWriter(path: path)
      try file.append(png(image))
      try file.commit()
    } catch let error as SpecError {
      throw FeatureFileError(.unwritable, "\(error)")
    }
  }

  /// The image encoded as PNG.
  package static func png(_ image: PixelBuffer) throws -> [UInt8] { try ImageEncoder.png(image) }

  /// The pixels of an image file, in the form of an image output with this pixel format.
  public static func array(at path: String, _ format: UInt32) throws -> NPYArray {
    let picture = try PictureFile.contents(path).withUnsafeBytes { try ImageDecoder.decode($0) }
    return array(picture.pixelFormatType == format ? picture : try picture.converted(to: format))
  }

  /// The pixels of an image output: [H, W, 3] in RGB order, or [H, W] for gray. fp16 gray values keep their range.
  public static func array(_ image: PixelBuffer) -> NPYArray {
    let isGray = image.pixelFormatType != kCVPixelFormatType_32BGRA
    let samples = image.width * (isGray ? 1 : 3)
    let count = image.height * samples * 4
    var line = [UInt8](repeating: 0, count: samples)
    let values = [UInt8](unsafeUninitializedCapacity: count) { values, initialized in
      image.withUnsafeBytes { bytes in
        guard let source = bytes.baseAddress, let target = values.baseAddress else { return }
        for y in 0..<image.height {
          let (row, place) = (source + y * image.bytesPerRow, target + y * samples * 4)
          switch image.pixelFormatType {
          case kCVPixelFormatType_OneComponent8:
            cimages_fp32_of_bytes(row.assumingMemoryBound(to: UInt8.self), place, samples)
          case kCVPixelFormatType_OneComponent16Half: cimages_fp32_of_fp16(row, place, samples)
          default:
            cimages_pack(
              row, CImagesOrder(red: 2, green: 1, blue: 0, alpha: 3), &line,
              CImagesOrder(red: 0, green: 1, blue: 2, alpha: 3), image.width)
            cimages_fp32_of_bytes(line, place, samples)
          }
        }
      }
      initialized = count
    }
    let shape = isGray ? [image.height, image.width] : [image.height, image.width, 3]
    return NPYArray(.float32, shape: shape, bytes: values)
  }
}
