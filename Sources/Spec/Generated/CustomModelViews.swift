// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLBase

extension Specification {
  /// `CoreML.Specification.CustomModel`
  package struct CustomModel: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var className: String { get throws { try message.string(10) } }
    package var parameters: [String: Specification.CustomModel.CustomModelParamValue] { get throws { Dictionary(entries: try parametersInOrder) } }
    package var parametersInOrder: [(key: String, value: Specification.CustomModel.CustomModelParamValue)] { get throws { try message.entries(30) { (try $0.string(1), Specification.CustomModel.CustomModelParamValue(try $0.message(2) ?? Message())) } } }
    package var description: String { get throws { try message.string(40) } }
    /// `CoreML.Specification.CustomModel.CustomModelParamValue`
    package struct CustomModelParamValue: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var doubleValue: Double? { get throws { try message.member(10, of: Self.valueFields)?.double() } }
      package var stringValue: String? { get throws { try message.member(20, of: Self.valueFields)?.string() } }
      package var intValue: Int32? { get throws { try message.member(30, of: Self.valueFields)?.int32() } }
      package var longValue: Int64? { get throws { try message.member(40, of: Self.valueFields)?.int64() } }
      package var boolValue: Bool? { get throws { try message.member(50, of: Self.valueFields)?.bool() } }
      package var bytesValue: Bytes? { get throws { try message.member(60, of: Self.valueFields)?.bytes() } }
      static let valueFields = [10, 20, 30, 40, 50, 60]
      package enum OneOfValue: Sendable {
        case doubleValue(Double)
        case stringValue(String)
        case intValue(Int32)
        case longValue(Int64)
        case boolValue(Bool)
        case bytesValue(Bytes)
        /// Every member under its name in the schema, with nothing in it.
        package static var members: [OneOfMember<Self>] {
          [
            OneOfMember(10, "doubleValue", .doubleValue(Double())),
            OneOfMember(20, "stringValue", .stringValue(String())),
            OneOfMember(30, "intValue", .intValue(Int32())),
            OneOfMember(40, "longValue", .longValue(Int64())),
            OneOfMember(50, "boolValue", .boolValue(Bool())),
            OneOfMember(60, "bytesValue", .bytesValue(Bytes())),
          ]
        }
      }
      package var value: OneOfValue? {
        get throws {
          guard let member = try message.member(of: Self.valueFields) else { return nil }
          switch member.number {
          case 10: return .doubleValue(try member.double())
          case 20: return .stringValue(try member.string())
          case 30: return .intValue(try member.int32())
          case 40: return .longValue(try member.int64())
          case 50: return .boolValue(try member.bool())
          case 60: return .bytesValue(try member.bytes())
          default: return nil
          }
        }
      }
    }
  }
}
