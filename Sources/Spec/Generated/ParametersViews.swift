// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.Int64Parameter`
  public struct Int64Parameter: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var defaultValue: Int64 { get throws { try message.int64(1) } }
    public var range: Specification.Int64Range? { get throws { try message.message(10, of: Self.allowedValuesFields).map(Specification.Int64Range.init) } }
    public var set: Specification.Int64Set? { get throws { try message.message(11, of: Self.allowedValuesFields).map(Specification.Int64Set.init) } }
    static let allowedValuesFields = [10, 11]
    public enum OneOfAllowedValues: Sendable {
      case range(Specification.Int64Range)
      case set(Specification.Int64Set)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(10, "range", .range(Specification.Int64Range(Message()))),
          OneOfMember(11, "set", .set(Specification.Int64Set(Message()))),
        ]
      }
    }
    public var allowedValues: OneOfAllowedValues? {
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
  public struct DoubleParameter: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var defaultValue: Double { get throws { try message.double(1) } }
    public var range: Specification.DoubleRange? { get throws { try message.message(10, of: Self.allowedValuesFields).map(Specification.DoubleRange.init) } }
    static let allowedValuesFields = [10]
    public enum OneOfAllowedValues: Sendable {
      case range(Specification.DoubleRange)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(10, "range", .range(Specification.DoubleRange(Message()))),
        ]
      }
    }
    public var allowedValues: OneOfAllowedValues? {
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
  public struct StringParameter: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var defaultValue: String { get throws { try message.string(1) } }
  }
  /// `CoreML.Specification.BoolParameter`
  public struct BoolParameter: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var defaultValue: Bool { get throws { try message.bool(1) } }
  }
}
