// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.LinkedModel`
  package struct LinkedModel: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var linkedModelFile: Specification.LinkedModelFile? { get throws { try message.message(1, of: Self.linkTypeFields).map(Specification.LinkedModelFile.init) } }
    static let linkTypeFields = [1]
    package enum OneOfLinkType: Sendable {
      case linkedModelFile(Specification.LinkedModelFile)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "linkedModelFile", .linkedModelFile(Specification.LinkedModelFile(Message()))),
        ]
      }
    }
    package var linkType: OneOfLinkType? {
      get throws {
        guard let member = try message.member(of: Self.linkTypeFields) else { return nil }
        switch member.number {
        case 1: return .linkedModelFile(Specification.LinkedModelFile(try member.message()))
        default: return nil
        }
      }
    }
  }
  /// `CoreML.Specification.LinkedModelFile`
  package struct LinkedModelFile: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var linkedModelFileName: Specification.StringParameter? { get throws { try message.message(1).map(Specification.StringParameter.init) } }
    package var linkedModelSearchPath: Specification.StringParameter? { get throws { try message.message(2).map(Specification.StringParameter.init) } }
  }
}
