// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.Int32Range`
  package struct Int32Range: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var minValue: Int32 { get throws { try message.int32(1) } }
    package var maxValue: Int32 { get throws { try message.int32(2) } }
  }
  /// `CoreML.Specification.Int32Set`
  package struct Int32Set: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var values: [Int32] { get throws { try message.int32s(1) } }
  }
  /// `CoreML.Specification.FloatRange`
  package struct FloatRange: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var minValue: Float { get throws { try message.float(1) } }
    package var maxValue: Float { get throws { try message.float(2) } }
  }
  /// `CoreML.Specification.Int32Parameter`
  package struct Int32Parameter: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var defaultValue: Int32 { get throws { try message.int32(1) } }
    package var range: Specification.Int32Range? { get throws { try message.message(10, of: Self.allowedValuesFields).map(Specification.Int32Range.init) } }
    package var set: Specification.Int32Set? { get throws { try message.message(11, of: Self.allowedValuesFields).map(Specification.Int32Set.init) } }
    static let allowedValuesFields = [10, 11]
    package enum OneOfAllowedValues: Sendable {
      case range(Specification.Int32Range)
      case set(Specification.Int32Set)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(10, "range", .range(Specification.Int32Range(Message()))),
          OneOfMember(11, "set", .set(Specification.Int32Set(Message()))),
        ]
      }
    }
    package var allowedValues: OneOfAllowedValues? {
      get throws {
        guard let member = try message.member(of: Self.allowedValuesFields) else { return nil }
        switch member.number {
        case 10: return .range(Specification.Int32Range(try member.message()))
        case 11: return .set(Specification.Int32Set(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.FloatParameter`
  package struct FloatParameter: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var defaultValue: Float { get throws { try message.float(1) } }
    package var range: Specification.FloatRange? { get throws { try message.message(10, of: Self.allowedValuesFields).map(Specification.FloatRange.init) } }
    static let allowedValuesFields = [10]
    package enum OneOfAllowedValues: Sendable {
      case range(Specification.FloatRange)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(10, "range", .range(Specification.FloatRange(Message()))),
        ]
      }
    }
    package var allowedValues: OneOfAllowedValues? {
      get throws {
        guard let member = try message.member(of: Self.allowedValuesFields) else { return nil }
        switch member.number {
        case 10: return .range(Specification.FloatRange(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.Parameter`
  package struct Parameter: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var int32Parameter: Specification.Int32Parameter? { get throws { try message.message(1, of: Self.typeFields).map(Specification.Int32Parameter.init) } }
    package var floatParameter: Specification.FloatParameter? { get throws { try message.message(2, of: Self.typeFields).map(Specification.FloatParameter.init) } }
    static let typeFields = [1, 2]
    package enum OneOfType: Sendable {
      case int32Parameter(Specification.Int32Parameter)
      case floatParameter(Specification.FloatParameter)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "int32Parameter", .int32Parameter(Specification.Int32Parameter(Message()))),
          OneOfMember(2, "floatParameter", .floatParameter(Specification.FloatParameter(Message()))),
        ]
      }
    }
    package var type: OneOfType? {
      get throws {
        guard let member = try message.member(of: Self.typeFields) else { return nil }
        switch member.number {
        case 1: return .int32Parameter(Specification.Int32Parameter(try member.message()))
        case 2: return .floatParameter(Specification.FloatParameter(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.NamedParameter`
  package struct NamedParameter: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var name: String { get throws { try message.string(1) } }
    package var shortDescription: String { get throws { try message.string(2) } }
    package var parameter: Specification.Parameter? { get throws { try message.message(3).map(Specification.Parameter.init) } }
  }
}
