// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLBase

extension CoreMLModels {
  /// `CoreML.Specification.CoreMLModels.Gazetteer`
  package struct Gazetteer: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var revision: UInt32 { get throws { try message.uint32(1) } }
    package var language: String { get throws { try message.string(10) } }
    package var modelParameterData: Bytes { get throws { try message.bytes(100) } }
    package var stringClassLabels: Specification.StringVector? { get throws { try message.message(200, of: Self.classLabelsFields).map(Specification.StringVector.init) } }
    static let classLabelsFields = [200]
    package enum OneOfClassLabels: Sendable {
      case stringClassLabels(Specification.StringVector)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(200, "stringClassLabels", .stringClassLabels(Specification.StringVector(Message()))),
        ]
      }
    }
    package var classLabels: OneOfClassLabels? {
      get throws {
        guard let member = try message.member(of: Self.classLabelsFields) else { return nil }
        switch member.number {
        case 200: return .stringClassLabels(Specification.StringVector(try member.message()))
        default: return nil
        }
      }
    }
  }
}
