// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.LinkedModel`
  public struct LinkedModel: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var linkedModelFile: Specification.LinkedModelFile? { get throws { try message.message(1, of: Self.linkTypeFields).map(Specification.LinkedModelFile.init) } }
    static let linkTypeFields = [1]
    public enum OneOfLinkType: Sendable {
      case linkedModelFile(Specification.LinkedModelFile)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "linkedModelFile", .linkedModelFile(Specification.LinkedModelFile(Message()))),
        ]
      }
    }
    public var linkType: OneOfLinkType? {
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
  public struct LinkedModelFile: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var linkedModelFileName: Specification.StringParameter? { get throws { try message.message(1).map(Specification.StringParameter.init) } }
    public var linkedModelSearchPath: Specification.StringParameter? { get throws { try message.message(2).map(Specification.StringParameter.init) } }
  }
}
