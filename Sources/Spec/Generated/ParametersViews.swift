// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.Int64Parameter`
  package struct Int64Parameter: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var defaultValue: Int64 { get throws { try message.int64(1) } }
    package var range: Specification.Int64Range? { get throws { try message.message(10, of: Self.allowedValuesFields).map(Specification.Int64Range.init) } }
    package var set: Specification.Int64Set? { get throws { try message.message(11, of: Self.allowedValuesFields).map(Specification.Int64Set.init) } }
    static let allowedValuesFields = [10, 11]
    package enum OneOfAllowedValues: Sendable {
      case range(Specification.Int64Range)
      case set(Specification.Int64Set)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(10, "range", .range(Specification.Int64Range(Message()))),
          OneOfMember(11, "set", .set(Specification.Int64Set(Message()))),
        ]
      }
    }
    package var allowedValues: OneOfAllowedValues? {
      get throws {
        guard let member = try message.member(of: Self.allowedValuesFields) else { return nil }
        switch member.number {
        case 10: return .range(Specification.Int64Range(try member.message()))
        case 11: return .set(Specification.Int64Set(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.DoubleParameter`
  package struct DoubleParameter: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var defaultValue: Double { get throws { try message.double(1) } }
    package var range: Specification.DoubleRange? { get throws { try message.message(10, of: Self.allowedValuesFields).map(Specification.DoubleRange.init) } }
    static let allowedValuesFields = [10]
    package enum OneOfAllowedValues: Sendable {
      case range(Specification.DoubleRange)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(10, "range", .range(Specification.DoubleRange(Message()))),
        ]
      }
    }
    package var allowedValues: OneOfAllowedValues? {
      get throws {
        guard let member = try message.member(of: Self.allowedValuesFields) else { return nil }
        switch member.number {
        case 10: return .range(Specification.DoubleRange(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.StringParameter`
  package struct StringParameter: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var defaultValue: String { get throws { try message.string(1) } }
  }
  /// `CoreML.Specification.BoolParameter`
  package struct BoolParameter: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var defaultValue: Bool { get throws { try message.bool(1) } }
  }
}
