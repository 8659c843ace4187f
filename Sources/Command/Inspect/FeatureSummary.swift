import CoreMLSpec

/// A feature's type as data: its kind, and the properties of that kind.
struct FeatureSummary: Encodable {
  /// The sizes of an axis; nil for no upper bound.
  struct Range: Encodable {
    let from: Int64
    let to: Int64?

    init(_ range: Specification.SizeRange) throws {
      let upper = try range.upperBound
      (from, to) = (Int64(clamping: try range.lowerBound), upper < 0 ? nil : upper)
    }
  }

  /// `int64`, `double`, `string`, `image`, `multiArray`, `dictionary`, `sequence`, `state`, or `none`.
  var kind: String
  /// For a multi-array, or the one in a state: its element type, default shape, and the other shapes or the size ranges
  /// that it allows.
  var dataType: String?
  var shape: [Int64]?
  var shapes: [[Int64]]?
  var ranges: [Range]?
  /// For an image: its default size, and the other sizes (width, height) or ranges that it allows.
  var width: Int64?
  var height: Int64?
  var colorSpace: String?
  var sizes: [[UInt64]]?
  var widthRange: Range?
  var heightRange: Range?
  /// For a dictionary.
  var keyType: String?
  /// For a sequence.
  var elementType: String?

  init(_ type: Specification.FeatureType?) throws {
    kind = "none"
    switch try type?.type {
    case .int64Type: kind = "int64"
    case .doubleType: kind = "double"
    case .stringType: kind = "string"
    case .imageType(let image): try set(image)
    case .multiArrayType(let array): try set(array, "multiArray")
    case .dictionaryType(let dictionary):
      (kind, keyType) = ("dictionary", try dictionary.int64KeyType != nil ? "int64" : "string")
    case .sequenceType(let sequence):
      (kind, elementType) = ("sequence", try sequence.int64Type != nil ? "int64" : "string")
    case .stateType(let state):
      kind = "state"
      if let array = try state.arrayType { try set(array, "state") }
    case nil: break
    }
  }

  private mutating func set(_ array: Specification.ArrayFeatureType, _ kind: String) throws {
    (self.kind, dataType, shape) = (kind, "\(try array.dataType)", try array.shape)
    switch try array.shapeFlexibility {
    case .enumeratedShapes(let shapes): self.shapes = try shapes.shapes.map { try $0.shape }
    case .shapeRange(let range): ranges = try range.sizeRanges.map(Range.init)
    case nil: break
    }
  }

  private mutating func set(_ image: Specification.ImageFeatureType) throws {
    (kind, width, height, colorSpace) = ("image", try image.width, try image.height, "\(try image.colorSpace)")
    switch try image.sizeFlexibility {
    case .enumeratedSizes(let sizes): self.sizes = try sizes.sizes.map { [try $0.width, try $0.height] }
    case .imageSizeRange(let range):
      widthRange = try range.widthRange.map(Range.init)
      heightRange = try range.heightRange.map(Range.init)
    case nil: break
    }
  }
}
