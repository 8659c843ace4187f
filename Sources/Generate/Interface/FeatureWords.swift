/// Type descriptions in English, as in the code of Core ML's own generator.
extension ModelFeature {
  /// For example `1 × 8 × 8 3-dimensional array of doubles`.
  package var typeWords: String { (isOptional ? "optional " : "") + kind.words }

  /// The author's description of the feature, or its name, with its type: `image as 1 × 8 × 8 3-dimensional array of
  /// doubles`.
  package var sentence: String { "\(summary.isEmpty ? name : summary) as \(typeWords)" }
}

extension FeatureKind {
  var words: String {
    switch self {
    case .int64: "integer value"
    case .double: "double value"
    case .string: "string value"
    case .image(let image): image.words
    case .multiArray(let array): array.words
    case .dictionary(let key): "dictionary of \(key.words) to doubles"
    case .sequence(let key): "sequence of \(key.words)"
    case .state(let array): "state of \(array.words)"
    }
  }
}

extension KeyKind {
  fileprivate var words: String {
    switch self {
    case .int64: "64-bit integers"
    case .string: "strings"
    }
  }
}

extension ArrayInterface {
  fileprivate var words: String {
    switch shape.count {
    case 0: "multidimensional array of \(elements)"
    case 1: "\(shape[0]) element vector of \(elements)"
    case 2: "\(shape[0]) by \(shape[1]) matrix of \(elements)"
    default:
      "\(shape.map { "\($0)" }.joined(separator: " × ")) \(shape.count)-dimensional array of \(elements)"
    }
  }

  private var elements: String {
    switch element {
    case .float16: "16-bit floats"
    case .float32: "floats"
    case .double: "doubles"
    case .int32: "32-bit integers"
    case .int8: "8-bit integers"
    }
  }
}

extension ImageInterface {
  /// The `kCVPixelFormatType_` constant of the image's buffers.
  package var pixelFormat: String {
    switch pixels {
    case .rgb, .bgr: "kCVPixelFormatType_32BGRA"
    case .grayscale: "kCVPixelFormatType_OneComponent8"
    case .grayscaleHalf: "kCVPixelFormatType_OneComponent16Half"
    }
  }

  fileprivate var words: String {
    let color =
      switch pixels {
      case .rgb, .bgr: "color"
      case .grayscale, .grayscaleHalf: "grayscale"
      }
    return "\(color) (\(pixelFormat)) image buffer, \(width) pixels wide by \(height) pixels high"
  }
}
