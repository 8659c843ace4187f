// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension CoreMLModels {
  /// `CoreML.Specification.CoreMLModels.TextClassifier`
  public struct TextClassifier: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var revision: UInt32 { get throws { try message.uint32(1) } }
    public var language: String { get throws { try message.string(10) } }
    public var modelParameterData: Bytes { get throws { try message.bytes(100) } }
    public var stringClassLabels: Specification.StringVector? { get throws { try message.message(200, of: Self.classLabelsFields).map(Specification.StringVector.init) } }
    static let classLabelsFields = [200]
    public enum OneOfClassLabels: Sendable {
      case stringClassLabels(Specification.StringVector)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(200, "stringClassLabels", .stringClassLabels(Specification.StringVector(Message()))),
        ]
      }
    }
    public var classLabels: OneOfClassLabels? {
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
