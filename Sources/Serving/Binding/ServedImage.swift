import CImages
import CoreMLImages
import CoreMLRuntime
import CoreMLServingInterface
import FeatureFiles
import Foundation

/// Images as tensors: `UINT8 [1, H, W, C]` with red, green and blue, or one gray channel, or `BYTES [1]` with a picture file.
enum ServedImage {
  private static let rgb = CImagesOrder(red: 0, green: 1, blue: 2, alpha: 3)
  private static let bgra = CImagesOrder(red: 2, green: 1, blue: 0, alpha: 3)

  static func feature(_ tensor: ServingTensor, _ description: MLFeatureDescription) throws -> MLFeatureValue {
    if tensor.type == .bytes {
      let picture = try tensor.strings().first ?? []
      return try picture.withUnsafeBytes { try ImageFiles.feature($0, description, try options(tensor)) }
    }
    guard let constraint = description.imageConstraint, let (high, wide) = constraint.size(of: tensor.shape) else {
      throw ServingError(.invalidArgument, "The input '\(tensor.name)' expects an image, found \(tensor.shape).")
    }
    let memory = try tensor.elements()
    guard tensor.type == constraint.tensorType, let source = memory.bytes.baseAddress else {
      throw ServingError(
        .invalidArgument,
        "The input '\(tensor.name)' expects the type \(constraint.tensorType.rawValue), found \(tensor.type.rawValue).")
    }
    guard constraint.channels == 3 else {
      let image = try PixelBuffer(
        over: source, width: wide, height: high, pixelFormatType: constraint.pixelFormatType,
        bytesPerRow: wide * (tensor.type.byteCount ?? 1), release: { _ in withExtendedLifetime(memory) {} })
      return MLFeatureValue(pixelBuffer: image)
    }
    let image = try PixelBuffer(width: wide, height: high, pixelFormatType: kCVPixelFormatType_32BGRA)
    image.withUnsafeMutableBytes { target in
      guard let target = target.baseAddress else { return }
      for y in 0..<high {
        cimages_expand(source + y * wide * 3, rgb, target + y * image.bytesPerRow, bgra, wide)
      }
    }
    return MLFeatureValue(pixelBuffer: image)
  }

  /// The input's parameter `fit`, with the names of the command's option.
  private static func options(_ tensor: ServingTensor) throws(ServingError) -> [MLFeatureValue.ImageOption: Any]? {
    switch tensor.parameters["fit"] {
    case nil: return nil
    case .text("fill"): return [.cropAndScale: ImageCropAndScale.scaleFill]
    case .text("crop"): return [.cropAndScale: ImageCropAndScale.centerCrop]
    case .text("fit"): return [.cropAndScale: ImageCropAndScale.scaleFit]
    default:
      throw ServingError(
        .invalidArgument, "The parameter 'fit' of the input '\(tensor.name)' expects 'fill', 'crop' or 'fit'.")
    }
  }

  /// An image output: its pixels, or a picture file if the request asks for one.
  static func tensor(_ image: PixelBuffer, _ requested: RequestedOutput) throws -> ServingTensor {
    switch requested.parameters["format"] {
    case nil: return try pixels(image, requested.name)
    case .text("png"):
      return ServingTensor(
        name: requested.name, type: .bytes, shape: [1], content: .byteStrings([try ImageFiles.png(image)]),
        parameters: ["content_type": .text("image/png")])
    default:
      throw ServingError(.invalidArgument, "The parameter 'format' of the output '\(requested.name)' expects 'png'.")
    }
  }

  private static func pixels(_ image: PixelBuffer, _ name: String) throws -> ServingTensor {
    let isGray = image.pixelFormatType == kCVPixelFormatType_OneComponent8
    let isFloat = image.pixelFormatType == kCVPixelFormatType_OneComponent16Half
    let bgraImage = isGray || isFloat ? image : try image.converted(to: kCVPixelFormatType_32BGRA)
    let channels = isGray || isFloat ? 1 : 3
    let row = image.width * channels * (isFloat ? 2 : 1)
    let memory = try TensorMemory(byteCount: image.height * row)
    bgraImage.withUnsafeBytes { source in
      guard let source = source.baseAddress, let target = memory.bytes.baseAddress else { return }
      for y in 0..<image.height {
        if channels == 1 {
          (target + y * row).copyMemory(from: source + y * bgraImage.bytesPerRow, byteCount: row)
        } else {
          cimages_pack(source + y * bgraImage.bytesPerRow, bgra, target + y * row, rgb, image.width)
        }
      }
    }
    return ServingTensor(
      name: name, type: isFloat ? .float16 : .uint8, shape: [1, image.height, image.width, channels],
      content: .elements(memory))
  }
}

extension MLImageConstraint {
  var channels: Int { pixelFormatType == kCVPixelFormatType_32BGRA ? 3 : 1 }

  var tensorType: TensorType { pixelFormatType == kCVPixelFormatType_OneComponent16Half ? .float16 : .uint8 }

  /// The shape [1, H, W, C], with -1 for a size that a request chooses.
  var openShape: [Int] {
    switch sizeConstraint.type {
    case .unspecified: return [1, pixelsHigh, pixelsWide, channels]
    case .enumerated:
      let sizes = sizeConstraint.enumeratedImageSizes
      return [
        1, sizes.allSatisfy { $0.pixelsHigh == pixelsHigh } ? pixelsHigh : -1,
        sizes.allSatisfy { $0.pixelsWide == pixelsWide } ? pixelsWide : -1, channels,
      ]
    case .range:
      let (high, wide) = (sizeConstraint.pixelsHighRange, sizeConstraint.pixelsWideRange)
      return [1, high.length == 1 ? high.location : -1, wide.length == 1 ? wide.location : -1, channels]
    }
  }

  /// The height and width of a tensor of the shape [1, H, W, C] or [H, W, C]; nil for other shapes.
  func size(of shape: [Int]) -> (high: Int, wide: Int)? {
    switch shape.count {
    case 4 where shape[0] == 1 && shape[3] == channels: (shape[1], shape[2])
    case 3 where shape[2] == channels: (shape[0], shape[1])
    default: nil
    }
  }
}
