// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLBase

extension CoreMLModels {
  /// `CoreML.Specification.CoreMLModels.WordTagger`
  package struct WordTagger: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var revision: UInt32 { get throws { try message.uint32(1) } }
    package var language: String { get throws { try message.string(10) } }
    package var tokensOutputFeatureName: String { get throws { try message.string(20) } }
    package var tokenTagsOutputFeatureName: String { get throws { try message.string(21) } }
    package var tokenLocationsOutputFeatureName: String { get throws { try message.string(22) } }
    package var tokenLengthsOutputFeatureName: String { get throws { try message.string(23) } }
    package var modelParameterData: Bytes { get throws { try message.bytes(100) } }
    package var stringTags: Specification.StringVector? { get throws { try message.message(200, of: Self.tagsFields).map(Specification.StringVector.init) } }
    static let tagsFields = [200]
    package enum OneOfTags: Sendable {
      case stringTags(Specification.StringVector)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(200, "stringTags", .stringTags(Specification.StringVector(Message()))),
        ]
      }
    }
    package var tags: OneOfTags? {
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
