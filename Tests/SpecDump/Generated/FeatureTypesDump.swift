// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_Int64FeatureType(_ view: Specification.Int64FeatureType) throws {
  }
  func Specification_DoubleFeatureType(_ view: Specification.DoubleFeatureType) throws {
  }
  func Specification_StringFeatureType(_ view: Specification.StringFeatureType) throws {
  }
  func Specification_SizeRange(_ view: Specification.SizeRange) throws {
    scalar("lowerBound", try view.lowerBound)
    scalar("upperBound", try view.upperBound)
  }
  func Specification_ImageFeatureType(_ view: Specification.ImageFeatureType) throws {
    scalar("width", try view.width)
    scalar("height", try view.height)
    scalar("colorSpace", try view.colorSpace.rawValue)
    try one("enumeratedSizes", try view.enumeratedSizes) { try Specification_ImageFeatureType_EnumeratedImageSizes($0) }
    try one("imageSizeRange", try view.imageSizeRange) { try Specification_ImageFeatureType_ImageSizeRange($0) }
    switch try view.sizeFlexibility {
    case .enumeratedSizes?: oneOf("SizeFlexibility", "enumeratedSizes")
    case .imageSizeRange?: oneOf("SizeFlexibility", "imageSizeRange")
    case nil: break
    }
  }
  func Specification_ImageFeatureType_ImageSize(_ view: Specification.ImageFeatureType.ImageSize) throws {
    scalar("width", try view.width)
    scalar("height", try view.height)
  }
  func Specification_ImageFeatureType_EnumeratedImageSizes(_ view: Specification.ImageFeatureType.EnumeratedImageSizes) throws {
    try each("sizes", try view.sizes) { try Specification_ImageFeatureType_ImageSize($0) }
  }
  func Specification_ImageFeatureType_ImageSizeRange(_ view: Specification.ImageFeatureType.ImageSizeRange) throws {
    try one("widthRange", try view.widthRange) { try Specification_SizeRange($0) }
    try one("heightRange", try view.heightRange) { try Specification_SizeRange($0) }
  }
  func Specification_ArrayFeatureType(_ view: Specification.ArrayFeatureType) throws {
    list("shape", try view.shape)
    scalar("dataType", try view.dataType.rawValue)
    try one("enumeratedShapes", try view.enumeratedShapes) { try Specification_ArrayFeatureType_EnumeratedShapes($0) }
    try one("shapeRange", try view.shapeRange) { try Specification_ArrayFeatureType_ShapeRange($0) }
    member("intDefaultValue", try view.intDefaultValue)
    member("floatDefaultValue", try view.floatDefaultValue)
    member("doubleDefaultValue", try view.doubleDefaultValue)
    switch try view.shapeFlexibility {
    case .enumeratedShapes?: oneOf("ShapeFlexibility", "enumeratedShapes")
    case .shapeRange?: oneOf("ShapeFlexibility", "shapeRange")
    case nil: break
    }
    switch try view.defaultOptionalValue {
    case .intDefaultValue?: oneOf("defaultOptionalValue", "intDefaultValue")
    case .floatDefaultValue?: oneOf("defaultOptionalValue", "floatDefaultValue")
    case .doubleDefaultValue?: oneOf("defaultOptionalValue", "doubleDefaultValue")
    case nil: break
    }
  }
  func Specification_ArrayFeatureType_Shape(_ view: Specification.ArrayFeatureType.Shape) throws {
    list("shape", try view.shape)
  }
  func Specification_ArrayFeatureType_EnumeratedShapes(_ view: Specification.ArrayFeatureType.EnumeratedShapes) throws {
    try each("shapes", try view.shapes) { try Specification_ArrayFeatureType_Shape($0) }
  }
  func Specification_ArrayFeatureType_ShapeRange(_ view: Specification.ArrayFeatureType.ShapeRange) throws {
    try each("sizeRanges", try view.sizeRanges) { try Specification_SizeRange($0) }
  }
  func Specification_DictionaryFeatureType(_ view: Specification.DictionaryFeatureType) throws {
    try one("int64KeyType", try view.int64KeyType) { try Specification_Int64FeatureType($0) }
    try one("stringKeyType", try view.stringKeyType) { try Specification_StringFeatureType($0) }
    switch try view.keyType {
    case .int64KeyType?: oneOf("KeyType", "int64KeyType")
    case .stringKeyType?: oneOf("KeyType", "stringKeyType")
    case nil: break
    }
  }
  func Specification_SequenceFeatureType(_ view: Specification.SequenceFeatureType) throws {
    try one("int64Type", try view.int64Type) { try Specification_Int64FeatureType($0) }
    try one("stringType", try view.stringType) { try Specification_StringFeatureType($0) }
    try one("sizeRange", try view.sizeRange) { try Specification_SizeRange($0) }
    switch try view.type {
    case .int64Type?: oneOf("Type", "int64Type")
    case .stringType?: oneOf("Type", "stringType")
    case nil: break
    }
  }
  func Specification_StateFeatureType(_ view: Specification.StateFeatureType) throws {
    try one("arrayType", try view.arrayType) { try Specification_ArrayFeatureType($0) }
    switch try view.type {
    case .arrayType?: oneOf("Type", "arrayType")
    case nil: break
    }
  }
  func Specification_FeatureType(_ view: Specification.FeatureType) throws {
    try one("int64Type", try view.int64Type) { try Specification_Int64FeatureType($0) }
    try one("doubleType", try view.doubleType) { try Specification_DoubleFeatureType($0) }
    try one("stringType", try view.stringType) { try Specification_StringFeatureType($0) }
    try one("imageType", try view.imageType) { try Specification_ImageFeatureType($0) }
    try one("multiArrayType", try view.multiArrayType) { try Specification_ArrayFeatureType($0) }
    try one("dictionaryType", try view.dictionaryType) { try Specification_DictionaryFeatureType($0) }
    try one("sequenceType", try view.sequenceType) { try Specification_SequenceFeatureType($0) }
    try one("stateType", try view.stateType) { try Specification_StateFeatureType($0) }
    scalar("isOptional", try view.isOptional)
    switch try view.type {
    case .int64Type?: oneOf("Type", "int64Type")
    case .doubleType?: oneOf("Type", "doubleType")
    case .stringType?: oneOf("Type", "stringType")
    case .imageType?: oneOf("Type", "imageType")
    case .multiArrayType?: oneOf("Type", "multiArrayType")
    case .dictionaryType?: oneOf("Type", "dictionaryType")
    case .sequenceType?: oneOf("Type", "sequenceType")
    case .stateType?: oneOf("Type", "stateType")
    case nil: break
    }
  }
}
