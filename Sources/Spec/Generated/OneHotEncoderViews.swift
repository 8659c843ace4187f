// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.OneHotEncoder`
  package struct OneHotEncoder: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var stringCategories: Specification.StringVector? { get throws { try message.message(1, of: Self.categoryTypeFields).map(Specification.StringVector.init) } }
    package var int64Categories: Specification.Int64Vector? { get throws { try message.message(2, of: Self.categoryTypeFields).map(Specification.Int64Vector.init) } }
    package var outputSparse: Bool { get throws { try message.bool(10) } }
    package var handleUnknown: Specification.OneHotEncoder.HandleUnknown { get throws { try message.value(11, Specification.OneHotEncoder.HandleUnknown.self) } }
    static let categoryTypeFields = [1, 2]
    package enum OneOfCategoryType: Sendable {
      case stringCategories(Specification.StringVector)
      case int64Categories(Specification.Int64Vector)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "stringCategories", .stringCategories(Specification.StringVector(Message()))),
          OneOfMember(2, "int64Categories", .int64Categories(Specification.Int64Vector(Message()))),
        ]
      }
    }
    package var categoryType: OneOfCategoryType? {
      get throws {
        guard let member = try message.member(of: Self.categoryTypeFields) else { return nil }
        switch member.number {
        case 1: return .stringCategories(Specification.StringVector(try member.message()))
        case 2: return .int64Categories(Specification.Int64Vector(try member.message()))
        default: return nil
        }
      }
    }
    package enum HandleUnknown: Int32, Sendable, CaseIterable {
      case errorOnUnknown = 0
      case ignoreUnknown = 1
    }
  }
}
