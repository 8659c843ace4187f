/// A feature in the format of `metadata.json`.
struct FeatureSchema: Encodable {
  let name: String
  let type: String
  let formattedType: String
  let shortDescription: String
  let isOptional: String
  var dataType: String?
  var shape: String?
  var hasShapeFlexibility: String?
  var shapeFlexibility: String?
  var shapeRange: String?
  var enumeratedShapes: String?
  var width: String?
  var height: String?
  var colorspace: String?
  var isColor: String?
  var hasSizeFlexibility: String?
  var sizeFlexibility: String?
  var widthRange: String?
  var heightRange: String?
  var keyType: String?
  var valueType: String?

  init(_ feature: ModelFeature) {
    name = feature.name
    shortDescription = feature.summary
    isOptional = feature.isOptional ? "1" : "0"
    switch feature.kind {
    case .int64: (type, formattedType) = ("Int64", "Int64")
    case .double: (type, formattedType) = ("Double", "Double")
    case .string: (type, formattedType) = ("String", "String")
    case .dictionary(let key):
      (type, formattedType) = ("Dictionary", "Dictionary (\(key.schemaName) → Double)")
      keyType = key.schemaName
    case .sequence(let key):
      (type, formattedType) = ("Sequence", "Sequence (\(key.schemaName))")
      valueType = key.schemaName
    case .multiArray(let array):
      (type, formattedType) = ("MultiArray", "MultiArray (\(array.schemaWords))")
      set(array)
    case .state(let array):
      (type, formattedType) = ("State", "State (\(array.schemaWords))")
      set(array)
    case .image(let image):
      let color = image.pixels == .rgb || image.pixels == .bgr
      (type, formattedType) = ("Image", "Image (\(color ? "Color" : "Grayscale") \(image.width) × \(image.height))")
      isColor = color ? "1" : "0"
      set(image)
    }
  }

  private mutating func set(_ array: ArrayInterface) {
    dataType = array.element.schemaName
    shape = "\(array.shape)"
    switch array.flexibility {
    case .fixed: hasShapeFlexibility = "0"
    case .enumerated(let shapes):
      hasShapeFlexibility = "1"
      enumeratedShapes = "\(shapes)"
      shapeFlexibility = shapes.map { $0.map { "\($0)" }.joined(separator: " × ") }.joined(separator: " | ")
    case .ranges(let ranges):
      hasShapeFlexibility = "1"
      shapeRange = "\(ranges.map { [$0.least, $0.most ?? -1] })"
      shapeFlexibility = ranges.map(\.schemaWords).joined(separator: " × ")
    }
  }

  private mutating func set(_ image: ImageInterface) {
    (width, height) = ("\(image.width)", "\(image.height)")
    switch image.pixels {
    case .rgb: colorspace = "RGB"
    case .bgr: colorspace = "BGR"
    case .grayscale: colorspace = "Grayscale"
    case .grayscaleHalf: colorspace = "GrayscaleFloat16"
    }
    switch image.flexibility {
    case .fixed: hasSizeFlexibility = "0"
    case .enumerated(let sizes):
      hasSizeFlexibility = "1"
      sizeFlexibility = sizes.map { "\($0[0]) × \($0[1])" }.joined(separator: " | ")
    case .ranges(let wide, let high):
      hasSizeFlexibility = "1"
      sizeFlexibility = "\(wide.schemaWords) × \(high.schemaWords)"
      widthRange = "\([wide.least, wide.most ?? -1])"
      heightRange = "\([high.least, high.most ?? -1])"
    }
  }
}

extension KeyKind {
  fileprivate var schemaName: String { self == .int64 ? "Int64" : "String" }
}

extension SizeBounds {
  /// `1...2048`; `3` for a single size; `1...` without an upper bound.
  fileprivate var schemaWords: String { most == least ? "\(least)" : "\(least)...\(most.map { "\($0)" } ?? "")" }
}

extension ArrayInterface {
  fileprivate var schemaWords: String {
    shape.isEmpty ? element.schemaName : "\(element.schemaName) \(shape.map { "\($0)" }.joined(separator: " × "))"
  }
}

extension ArrayInterface.Element {
  fileprivate var schemaName: String {
    switch self {
    case .float16: "Float16"
    case .float32: "Float32"
    case .double: "Double"
    case .int32: "Int32"
    case .int8: "Int8"
    }
  }
}
