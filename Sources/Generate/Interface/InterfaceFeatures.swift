import CoreMLBase
import CoreMLSpec

/// Reads features from the specification's messages.
enum InterfaceFeatures {
  /// Features with distinct names: generated code selects them by name.
  static func features(_ messages: Views<Specification.FeatureDescription>, _ role: String) throws -> [ModelFeature] {
    let features = try messages.map { try feature($0, role) }
    var seen: Set<String> = []
    for feature in features where !seen.insert(feature.name).inserted {
      throw RuntimeError(.invalidModel, "the model has two \(role)s of the name \(feature.name.debugDescription)")
    }
    return features
  }

  private static func feature(_ message: Specification.FeatureDescription, _ role: String) throws -> ModelFeature {
    let name = try message.name
    guard let type = try message.type, let value = try type.type else {
      throw RuntimeError(.invalidModel, "the \(role) \(name.debugDescription) has no type")
    }
    return ModelFeature(
      name: name, kind: try kind(value, name), isOptional: try type.isOptional, summary: try message.shortDescription)
  }

  private static func kind(_ type: Specification.FeatureType.OneOfType, _ name: String) throws -> FeatureKind {
    switch type {
    case .int64Type: return .int64
    case .doubleType: return .double
    case .stringType: return .string
    case .imageType(let image): return .image(try self.image(image))
    case .multiArrayType(let array): return .multiArray(try self.array(array))
    case .dictionaryType(let dictionary): return .dictionary(try dictionary.int64KeyType != nil ? .int64 : .string)
    case .sequenceType(let sequence): return .sequence(try sequence.int64Type != nil ? .int64 : .string)
    case .stateType(let state):
      guard let array = try state.arrayType else {
        throw RuntimeError(.invalidModel, "the state \(name.debugDescription) has no array type")
      }
      return .state(try self.array(array))
    }
  }

  // MARK: arrays

  private static func array(_ array: Specification.ArrayFeatureType) throws -> ArrayInterface {
    var shape = try array.shape.map { Int($0) }
    var flexibility = ArrayInterface.Flexibility.fixed
    switch try array.shapeFlexibility {
    case .enumeratedShapes(let shapes):
      let allowed = try shapes.shapes.map { try $0.shape.map { Int($0) } }
      flexibility = .enumerated(allowed)
      if shape.isEmpty { shape = allowed.first ?? [] }
    case .shapeRange(let range):
      let bounds = try range.sizeRanges.map { try self.bounds($0) }
      flexibility = .ranges(bounds)
      if shape.isEmpty { shape = bounds.map(\.least) }
    case nil: break
    }
    return ArrayInterface(element: element(try array.dataType), shape: shape, flexibility: flexibility)
  }

  private static func element(_ type: Specification.ArrayFeatureType.ArrayDataType) -> ArrayInterface.Element {
    switch type {
    case .float32, .invalidArrayDataType: .float32
    case .double: .double
    case .int32: .int32
    case .int8: .int8
    case .float16: .float16
    }
  }

  private static func bounds(_ range: Specification.SizeRange?) throws -> SizeBounds {
    let upper = try range?.upperBound ?? -1
    return SizeBounds(least: Int(clamping: try range?.lowerBound ?? 0), most: upper < 0 ? nil : Int(upper))
  }

  // MARK: images

  private static func image(_ image: Specification.ImageFeatureType) throws -> ImageInterface {
    var (width, height) = (Int(try image.width), Int(try image.height))
    var flexibility = ImageInterface.Flexibility.fixed
    switch try image.sizeFlexibility {
    case .enumeratedSizes(let sizes):
      let allowed = try sizes.sizes.map { [Int(clamping: try $0.width), Int(clamping: try $0.height)] }
      flexibility = .enumerated(allowed)
      if width == 0, height == 0, let first = allowed.first { (width, height) = (first[0], first[1]) }
    case .imageSizeRange(let range):
      let (wide, high) = (try bounds(range.widthRange), try bounds(range.heightRange))
      flexibility = .ranges(width: wide, height: high)
      if width == 0, height == 0 { (width, height) = (wide.least, high.least) }
    case nil: break
    }
    let pixels: ImageInterface.Pixels
    switch try image.colorSpace {
    case .grayscale: pixels = .grayscale
    case .grayscaleFloat16: pixels = .grayscaleHalf
    case .bgr: pixels = .bgr
    case .rgb, .invalidColorSpace: pixels = .rgb
    }
    return ImageInterface(width: width, height: height, pixels: pixels, flexibility: flexibility)
  }
}
