// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.CategoricalMapping`
  package struct CategoricalMapping: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var stringToInt64Map: Specification.StringToInt64Map? { get throws { try message.message(1, of: Self.mappingTypeFields).map(Specification.StringToInt64Map.init) } }
    package var int64ToStringMap: Specification.Int64ToStringMap? { get throws { try message.message(2, of: Self.mappingTypeFields).map(Specification.Int64ToStringMap.init) } }
    package var strValue: String? { get throws { try message.member(101, of: Self.valueOnUnknownFields)?.string() } }
    package var int64Value: Int64? { get throws { try message.member(102, of: Self.valueOnUnknownFields)?.int64() } }
    static let mappingTypeFields = [1, 2]
    package enum OneOfMappingType: Sendable {
      case stringToInt64Map(Specification.StringToInt64Map)
      case int64ToStringMap(Specification.Int64ToStringMap)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "stringToInt64Map", .stringToInt64Map(Specification.StringToInt64Map(Message()))),
          OneOfMember(2, "int64ToStringMap", .int64ToStringMap(Specification.Int64ToStringMap(Message()))),
        ]
      }
    }
    package var mappingType: OneOfMappingType? {
      get throws {
        guard let member = try message.member(of: Self.mappingTypeFields) else { return nil }
        switch member.number {
        case 1: return .stringToInt64Map(Specification.StringToInt64Map(try member.message()))
        case 2: return .int64ToStringMap(Specification.Int64ToStringMap(try member.message()))
        default: return nil
        }
      }
    }
    static let valueOnUnknownFields = [101, 102]
    package enum OneOfValueOnUnknown: Sendable {
      case strValue(String)
      case int64Value(Int64)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(101, "strValue", .strValue(String())),
          OneOfMember(102, "int64Value", .int64Value(Int64())),
        ]
      }
    }
    package var valueOnUnknown: OneOfValueOnUnknown? {
      get throws {
        guard let member = try message.member(of: Self.valueOnUnknownFields) else { return nil }
        switch member.number {
        case 101: return .strValue(try member.string())
        case 102: return .int64Value(try member.int64())
        default: return nil
        }
      }
    }
  }
}
