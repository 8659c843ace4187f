// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension CoreMLModels {
  /// `CoreML.Specification.CoreMLModels.WordTagger`
  public struct WordTagger: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var revision: UInt32 { get throws { try message.uint32(1) } }
    public var language: String { get throws { try message.string(10) } }
    public var tokensOutputFeatureName: String { get throws { try message.string(20) } }
    public var tokenTagsOutputFeatureName: String { get throws { try message.string(21) } }
    public var tokenLocationsOutputFeatureName: String { get throws { try message.string(22) } }
    public var tokenLengthsOutputFeatureName: String { get throws { try message.string(23) } }
    public var modelParameterData: Bytes { get throws { try message.bytes(100) } }
    public var stringTags: Specification.StringVector? { get throws { try message.message(200, of: Self.tagsFields).map(Specification.StringVector.init) } }
    static let tagsFields = [200]
    public enum OneOfTags: Sendable {
      case stringTags(Specification.StringVector)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(200, "stringTags", .stringTags(Specification.StringVector(Message()))),
        ]
      }
    }
    public var tags: OneOfTags? {
      get throws {
        guard let member = try message.member(of: Self.tagsFields) else { return nil }
        switch member.number {
        case 200: return .stringTags(Specification.StringVector(try member.message()))
        default: return nil
        }
      }
    }
  }
}
