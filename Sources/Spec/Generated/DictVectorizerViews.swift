// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.DictVectorizer`
  package struct DictVectorizer: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var stringToIndex: Specification.StringVector? { get throws { try message.message(1, of: Self.mapFields).map(Specification.StringVector.init) } }
    package var int64ToIndex: Specification.Int64Vector? { get throws { try message.message(2, of: Self.mapFields).map(Specification.Int64Vector.init) } }
    static let mapFields = [1, 2]
    package enum OneOfMap: Sendable {
      case stringToIndex(Specification.StringVector)
      case int64ToIndex(Specification.Int64Vector)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "stringToIndex", .stringToIndex(Specification.StringVector(Message()))),
          OneOfMember(2, "int64ToIndex", .int64ToIndex(Specification.Int64Vector(Message()))),
        ]
      }
    }
    package var map: OneOfMap? {
      get throws {
        guard let member = try message.member(of: Self.mapFields) else { return nil }
        switch member.number {
        case 1: return .stringToIndex(Specification.StringVector(try member.message()))
        case 2: return .int64ToIndex(Specification.Int64Vector(try member.message()))
        default: return nil
        }
      }
    }
  }
}
