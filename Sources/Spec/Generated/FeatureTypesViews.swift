// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.Int64FeatureType`
  package struct Int64FeatureType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.DoubleFeatureType`
  package struct DoubleFeatureType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.StringFeatureType`
  package struct StringFeatureType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
  /// `CoreML.Specification.SizeRange`
  package struct SizeRange: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var lowerBound: UInt64 { get throws { try message.uint64(1) } }
    package var upperBound: Int64 { get throws { try message.int64(2) } }
  }
  /// `CoreML.Specification.ImageFeatureType`
  package struct ImageFeatureType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var width: Int64 { get throws { try message.int64(1) } }
    package var height: Int64 { get throws { try message.int64(2) } }
    package var enumeratedSizes: Specification.ImageFeatureType.EnumeratedImageSizes? { get throws { try message.message(21, of: Self.sizeFlexibilityFields).map(Specification.ImageFeatureType.EnumeratedImageSizes.init) } }
    package var imageSizeRange: Specification.ImageFeatureType.ImageSizeRange? { get throws { try message.message(31, of: Self.sizeFlexibilityFields).map(Specification.ImageFeatureType.ImageSizeRange.init) } }
    package var colorSpace: Specification.ImageFeatureType.ColorSpace { get throws { try message.value(3, Specification.ImageFeatureType.ColorSpace.self) } }
    static let sizeFlexibilityFields = [21, 31]
    package enum OneOfSizeFlexibility: Sendable {
      case enumeratedSizes(Specification.ImageFeatureType.EnumeratedImageSizes)
      case imageSizeRange(Specification.ImageFeatureType.ImageSizeRange)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(21, "enumeratedSizes", .enumeratedSizes(Specification.ImageFeatureType.EnumeratedImageSizes(Message()))),
          OneOfMember(31, "imageSizeRange", .imageSizeRange(Specification.ImageFeatureType.ImageSizeRange(Message()))),
        ]
      }
    }
    package var sizeFlexibility: OneOfSizeFlexibility? {
      get throws {
        guard let member = try message.member(of: Self.sizeFlexibilityFields) else { return nil }
        switch member.number {
        case 21: return .enumeratedSizes(Specification.ImageFeatureType.EnumeratedImageSizes(try member.message()))
        case 31: return .imageSizeRange(Specification.ImageFeatureType.ImageSizeRange(try member.message()))
        default: return nil
        }
      }
    }
    /// `CoreML.Specification.ImageFeatureType.ImageSize`
    package struct ImageSize: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var width: UInt64 { get throws { try message.uint64(1) } }
      package var height: UInt64 { get throws { try message.uint64(2) } }
    }
    /// `CoreML.Specification.ImageFeatureType.EnumeratedImageSizes`
    package struct EnumeratedImageSizes: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var sizes: Views<Specification.ImageFeatureType.ImageSize> { get throws { try message.views(1, Specification.ImageFeatureType.ImageSize.self) } }
    }
    /// `CoreML.Specification.ImageFeatureType.ImageSizeRange`
    package struct ImageSizeRange: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var widthRange: Specification.SizeRange? { get throws { try message.message(1).map(Specification.SizeRange.init) } }
      package var heightRange: Specification.SizeRange? { get throws { try message.message(2).map(Specification.SizeRange.init) } }
    }
    package enum ColorSpace: Int32, Sendable, CaseIterable {
      case invalidColorSpace = 0
      case grayscale = 10
      case rgb = 20
      case bgr = 30
      case grayscaleFloat16 = 40
    }
  }
  /// `CoreML.Specification.ArrayFeatureType`
  package struct ArrayFeatureType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var shape: [Int64] { get throws { try message.int64s(1) } }
    package var dataType: Specification.ArrayFeatureType.ArrayDataType { get throws { try message.value(2, Specification.ArrayFeatureType.ArrayDataType.self) } }
    package var enumeratedShapes: Specification.ArrayFeatureType.EnumeratedShapes? { get throws { try message.message(21, of: Self.shapeFlexibilityFields).map(Specification.ArrayFeatureType.EnumeratedShapes.init) } }
    package var shapeRange: Specification.ArrayFeatureType.ShapeRange? { get throws { try message.message(31, of: Self.shapeFlexibilityFields).map(Specification.ArrayFeatureType.ShapeRange.init) } }
    package var intDefaultValue: Int32? { get throws { try message.member(41, of: Self.defaultOptionalValueFields)?.int32() } }
    package var floatDefaultValue: Float? { get throws { try message.member(51, of: Self.defaultOptionalValueFields)?.float() } }
    package var doubleDefaultValue: Double? { get throws { try message.member(61, of: Self.defaultOptionalValueFields)?.double() } }
    static let shapeFlexibilityFields = [21, 31]
    package enum OneOfShapeFlexibility: Sendable {
      case enumeratedShapes(Specification.ArrayFeatureType.EnumeratedShapes)
      case shapeRange(Specification.ArrayFeatureType.ShapeRange)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(21, "enumeratedShapes", .enumeratedShapes(Specification.ArrayFeatureType.EnumeratedShapes(Message()))),
          OneOfMember(31, "shapeRange", .shapeRange(Specification.ArrayFeatureType.ShapeRange(Message()))),
        ]
      }
    }
    package var shapeFlexibility: OneOfShapeFlexibility? {
      get throws {
        guard let member = try message.member(of: Self.shapeFlexibilityFields) else { return nil }
        switch member.number {
        case 21: return .enumeratedShapes(Specification.ArrayFeatureType.EnumeratedShapes(try member.message()))
        case 31: return .shapeRange(Specification.ArrayFeatureType.ShapeRange(try member.message()))
        default: return nil
        }
      }
    }
    static let defaultOptionalValueFields = [41, 51, 61]
    package enum OneOfDefaultOptionalValue: Sendable {
      case intDefaultValue(Int32)
      case floatDefaultValue(Float)
      case doubleDefaultValue(Double)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(41, "intDefaultValue", .intDefaultValue(Int32())),
          OneOfMember(51, "floatDefaultValue", .floatDefaultValue(Float())),
          OneOfMember(61, "doubleDefaultValue", .doubleDefaultValue(Double())),
        ]
      }
    }
    package var defaultOptionalValue: OneOfDefaultOptionalValue? {
      get throws {
        guard let member = try message.member(of: Self.defaultOptionalValueFields) else { return nil }
        switch member.number {
        case 41: return .intDefaultValue(try member.int32())
        case 51: return .floatDefaultValue(try member.float())
        case 61: return .doubleDefaultValue(try member.double())
        default: return nil
        }
      }
    }
    /// `CoreML.Specification.ArrayFeatureType.Shape`
    package struct Shape: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var shape: [Int64] { get throws { try message.int64s(1) } }
    }
    /// `CoreML.Specification.ArrayFeatureType.EnumeratedShapes`
    package struct EnumeratedShapes: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var shapes: Views<Specification.ArrayFeatureType.Shape> { get throws { try message.views(1, Specification.ArrayFeatureType.Shape.self) } }
    }
    /// `CoreML.Specification.ArrayFeatureType.ShapeRange`
    package struct ShapeRange: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var sizeRanges: Views<Specification.SizeRange> { get throws { try message.views(1, Specification.SizeRange.self) } }
    }
    package enum ArrayDataType: Int32, Sendable, CaseIterable {
      case invalidArrayDataType = 0
      case float32 = 65568
      case double = 65600
      case int32 = 131104
      case int8 = 131080
      case float16 = 65552
    }
  }
  /// `CoreML.Specification.DictionaryFeatureType`
  package struct DictionaryFeatureType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var int64KeyType: Specification.Int64FeatureType? { get throws { try message.message(1, of: Self.keyTypeFields).map(Specification.Int64FeatureType.init) } }
    package var stringKeyType: Specification.StringFeatureType? { get throws { try message.message(2, of: Self.keyTypeFields).map(Specification.StringFeatureType.init) } }
    static let keyTypeFields = [1, 2]
    package enum OneOfKeyType: Sendable {
      case int64KeyType(Specification.Int64FeatureType)
      case stringKeyType(Specification.StringFeatureType)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "int64KeyType", .int64KeyType(Specification.Int64FeatureType(Message()))),
          OneOfMember(2, "stringKeyType", .stringKeyType(Specification.StringFeatureType(Message()))),
        ]
      }
    }
    package var keyType: OneOfKeyType? {
      get throws {
        guard let member = try message.member(of: Self.keyTypeFields) else { return nil }
        switch member.number {
        case 1: return .int64KeyType(Specification.Int64FeatureType(try member.message()))
        case 2: return .stringKeyType(Specification.StringFeatureType(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.SequenceFeatureType`
  package struct SequenceFeatureType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var int64Type: Specification.Int64FeatureType? { get throws { try message.message(1, of: Self.typeFields).map(Specification.Int64FeatureType.init) } }
    package var stringType: Specification.StringFeatureType? { get throws { try message.message(3, of: Self.typeFields).map(Specification.StringFeatureType.init) } }
    package var sizeRange: Specification.SizeRange? { get throws { try message.message(101).map(Specification.SizeRange.init) } }
    static let typeFields = [1, 3]
    package enum OneOfType: Sendable {
      case int64Type(Specification.Int64FeatureType)
      case stringType(Specification.StringFeatureType)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "int64Type", .int64Type(Specification.Int64FeatureType(Message()))),
          OneOfMember(3, "stringType", .stringType(Specification.StringFeatureType(Message()))),
        ]
      }
    }
    package var type: OneOfType? {
      get throws {
        guard let member = try message.member(of: Self.typeFields) else { return nil }
        switch member.number {
        case 1: return .int64Type(Specification.Int64FeatureType(try member.message()))
        case 3: return .stringType(Specification.StringFeatureType(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.StateFeatureType`
  package struct StateFeatureType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var arrayType: Specification.ArrayFeatureType? { get throws { try message.message(1, of: Self.typeFields).map(Specification.ArrayFeatureType.init) } }
    static let typeFields = [1]
    package enum OneOfType: Sendable {
      case arrayType(Specification.ArrayFeatureType)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "arrayType", .arrayType(Specification.ArrayFeatureType(Message()))),
        ]
      }
    }
    package var type: OneOfType? {
      get throws {
        guard let member = try message.member(of: Self.typeFields) else { return nil }
        switch member.number {
        case 1: return .arrayType(Specification.ArrayFeatureType(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.FeatureType`
  package struct FeatureType: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var int64Type: Specification.Int64FeatureType? { get throws { try message.message(1, of: Self.typeFields).map(Specification.Int64FeatureType.init) } }
    package var doubleType: Specification.DoubleFeatureType? { get throws { try message.message(2, of: Self.typeFields).map(Specification.DoubleFeatureType.init) } }
    package var stringType: Specification.StringFeatureType? { get throws { try message.message(3, of: Self.typeFields).map(Specification.StringFeatureType.init) } }
    package var imageType: Specification.ImageFeatureType? { get throws { try message.message(4, of: Self.typeFields).map(Specification.ImageFeatureType.init) } }
    package var multiArrayType: Specification.ArrayFeatureType? { get throws { try message.message(5, of: Self.typeFields).map(Specification.ArrayFeatureType.init) } }
    package var dictionaryType: Specification.DictionaryFeatureType? { get throws { try message.message(6, of: Self.typeFields).map(Specification.DictionaryFeatureType.init) } }
    package var sequenceType: Specification.SequenceFeatureType? { get throws { try message.message(7, of: Self.typeFields).map(Specification.SequenceFeatureType.init) } }
    package var stateType: Specification.StateFeatureType? { get throws { try message.message(8, of: Self.typeFields).map(Specification.StateFeatureType.init) } }
    package var isOptional: Bool { get throws { try message.bool(1000) } }
    static let typeFields = [1, 2, 3, 4, 5, 6, 7, 8]
    package enum OneOfType: Sendable {
      case int64Type(Specification.Int64FeatureType)
      case doubleType(Specification.DoubleFeatureType)
      case stringType(Specification.StringFeatureType)
      case imageType(Specification.ImageFeatureType)
      case multiArrayType(Specification.ArrayFeatureType)
      case dictionaryType(Specification.DictionaryFeatureType)
      case sequenceType(Specification.SequenceFeatureType)
      case stateType(Specification.StateFeatureType)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "int64Type", .int64Type(Specification.Int64FeatureType(Message()))),
          OneOfMember(2, "doubleType", .doubleType(Specification.DoubleFeatureType(Message()))),
          OneOfMember(3, "stringType", .stringType(Specification.StringFeatureType(Message()))),
          OneOfMember(4, "imageType", .imageType(Specification.ImageFeatureType(Message()))),
          OneOfMember(5, "multiArrayType", .multiArrayType(Specification.ArrayFeatureType(Message()))),
          OneOfMember(6, "dictionaryType", .dictionaryType(Specification.DictionaryFeatureType(Message()))),
          OneOfMember(7, "sequenceType", .sequenceType(Specification.SequenceFeatureType(Message()))),
          OneOfMember(8, "stateType", .stateType(Specification.StateFeatureType(Message()))),
        ]
      }
    }
    package var type: OneOfType? {
      get throws {
        guard let member = try message.member(of: Self.typeFields) else { return nil }
        switch member.number {
        case 1: return .int64Type(Specification.Int64FeatureType(try member.message()))
        case 2: return .doubleType(Specification.DoubleFeatureType(try member.message()))
        case 3: return .stringType(Specification.StringFeatureType(try member.message()))
        case 4: return .imageType(Specification.ImageFeatureType(try member.message()))
        case 5: return .multiArrayType(Specification.ArrayFeatureType(try member.message()))
        case 6: return .dictionaryType(Specification.DictionaryFeatureType(try member.message()))
        case 7: return .sequenceType(Specification.SequenceFeatureType(try member.message()))
        case 8: return .stateType(Specification.StateFeatureType(try member.message()))
        default: return nil
        }
      }
    }
  }
}
