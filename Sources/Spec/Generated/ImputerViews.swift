// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.Imputer`
  package struct Imputer: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var imputedDoubleValue: Double? { get throws { try message.member(1, of: Self.imputedValueFields)?.double() } }
    package var imputedInt64Value: Int64? { get throws { try message.member(2, of: Self.imputedValueFields)?.int64() } }
    package var imputedStringValue: String? { get throws { try message.member(3, of: Self.imputedValueFields)?.string() } }
    package var imputedDoubleArray: Specification.DoubleVector? { get throws { try message.message(4, of: Self.imputedValueFields).map(Specification.DoubleVector.init) } }
    package var imputedInt64Array: Specification.Int64Vector? { get throws { try message.message(5, of: Self.imputedValueFields).map(Specification.Int64Vector.init) } }
    package var imputedStringDictionary: Specification.StringToDoubleMap? { get throws { try message.message(6, of: Self.imputedValueFields).map(Specification.StringToDoubleMap.init) } }
    package var imputedInt64Dictionary: Specification.Int64ToDoubleMap? { get throws { try message.message(7, of: Self.imputedValueFields).map(Specification.Int64ToDoubleMap.init) } }
    package var replaceDoubleValue: Double? { get throws { try message.member(11, of: Self.replaceValueFields)?.double() } }
    package var replaceInt64Value: Int64? { get throws { try message.member(12, of: Self.replaceValueFields)?.int64() } }
    package var replaceStringValue: String? { get throws { try message.member(13, of: Self.replaceValueFields)?.string() } }
    static let imputedValueFields = [1, 2, 3, 4, 5, 6, 7]
    package enum OneOfImputedValue: Sendable {
      case imputedDoubleValue(Double)
      case imputedInt64Value(Int64)
      case imputedStringValue(String)
      case imputedDoubleArray(Specification.DoubleVector)
      case imputedInt64Array(Specification.Int64Vector)
      case imputedStringDictionary(Specification.StringToDoubleMap)
      case imputedInt64Dictionary(Specification.Int64ToDoubleMap)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "imputedDoubleValue", .imputedDoubleValue(Double())),
          OneOfMember(2, "imputedInt64Value", .imputedInt64Value(Int64())),
          OneOfMember(3, "imputedStringValue", .imputedStringValue(String())),
          OneOfMember(4, "imputedDoubleArray", .imputedDoubleArray(Specification.DoubleVector(Message()))),
          OneOfMember(5, "imputedInt64Array", .imputedInt64Array(Specification.Int64Vector(Message()))),
          OneOfMember(6, "imputedStringDictionary", .imputedStringDictionary(Specification.StringToDoubleMap(Message()))),
          OneOfMember(7, "imputedInt64Dictionary", .imputedInt64Dictionary(Specification.Int64ToDoubleMap(Message()))),
        ]
      }
    }
    package var imputedValue: OneOfImputedValue? {
      get throws {
        guard let member = try message.member(of: Self.imputedValueFields) else { return nil }
        switch member.number {
        case 1: return .imputedDoubleValue(try member.double())
        case 2: return .imputedInt64Value(try member.int64())
        case 3: return .imputedStringValue(try member.string())
        case 4: return .imputedDoubleArray(Specification.DoubleVector(try member.message()))
        case 5: return .imputedInt64Array(Specification.Int64Vector(try member.message()))
        case 6: return .imputedStringDictionary(Specification.StringToDoubleMap(try member.message()))
        case 7: return .imputedInt64Dictionary(Specification.Int64ToDoubleMap(try member.message()))
        default: return nil
        }
      }
    }
    static let replaceValueFields = [11, 12, 13]
    package enum OneOfReplaceValue: Sendable {
      case replaceDoubleValue(Double)
      case replaceInt64Value(Int64)
      case replaceStringValue(String)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(11, "replaceDoubleValue", .replaceDoubleValue(Double())),
          OneOfMember(12, "replaceInt64Value", .replaceInt64Value(Int64())),
          OneOfMember(13, "replaceStringValue", .replaceStringValue(String())),
        ]
      }
    }
    package var replaceValue: OneOfReplaceValue? {
      get throws {
        guard let member = try message.member(of: Self.replaceValueFields) else { return nil }
        switch member.number {
        case 11: return .replaceDoubleValue(try member.double())
        case 12: return .replaceInt64Value(try member.int64())
        case 13: return .replaceStringValue(try member.string())
        default: return nil
        }
      }
    }
  }
}
