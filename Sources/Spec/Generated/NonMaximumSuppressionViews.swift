// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.NonMaximumSuppression`
  package struct NonMaximumSuppression: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var pickTop: Specification.NonMaximumSuppression.PickTop? { get throws { try message.message(1, of: Self.suppressionMethodFields).map(Specification.NonMaximumSuppression.PickTop.init) } }
    package var stringClassLabels: Specification.StringVector? { get throws { try message.message(100, of: Self.classLabelsFields).map(Specification.StringVector.init) } }
    package var int64ClassLabels: Specification.Int64Vector? { get throws { try message.message(101, of: Self.classLabelsFields).map(Specification.Int64Vector.init) } }
    package var iouThreshold: Double { get throws { try message.double(110) } }
    package var confidenceThreshold: Double { get throws { try message.double(111) } }
    package var confidenceInputFeatureName: String { get throws { try message.string(200) } }
    package var coordinatesInputFeatureName: String { get throws { try message.string(201) } }
    package var iouThresholdInputFeatureName: String { get throws { try message.string(202) } }
    package var confidenceThresholdInputFeatureName: String { get throws { try message.string(203) } }
    package var confidenceOutputFeatureName: String { get throws { try message.string(210) } }
    package var coordinatesOutputFeatureName: String { get throws { try message.string(211) } }
    static let suppressionMethodFields = [1]
    package enum OneOfSuppressionMethod: Sendable {
      case pickTop(Specification.NonMaximumSuppression.PickTop)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "pickTop", .pickTop(Specification.NonMaximumSuppression.PickTop(Message()))),
        ]
      }
    }
    package var suppressionMethod: OneOfSuppressionMethod? {
      get throws {
        guard let member = try message.member(of: Self.suppressionMethodFields) else { return nil }
        switch member.number {
        case 1: return .pickTop(Specification.NonMaximumSuppression.PickTop(try member.message()))
        default: return nil
        }
      }
    }
    static let classLabelsFields = [100, 101]
    package enum OneOfClassLabels: Sendable {
      case stringClassLabels(Specification.StringVector)
      case int64ClassLabels(Specification.Int64Vector)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(100, "stringClassLabels", .stringClassLabels(Specification.StringVector(Message()))),
          OneOfMember(101, "int64ClassLabels", .int64ClassLabels(Specification.Int64Vector(Message()))),
        ]
      }
    }
    package var classLabels: OneOfClassLabels? {
      get throws {
        guard let member = try message.member(of: Self.classLabelsFields) else { return nil }
        switch member.number {
        case 100: return .stringClassLabels(Specification.StringVector(try member.message()))
        case 101: return .int64ClassLabels(Specification.Int64Vector(try member.message()))
        default: return nil
        }
      }
    }
    /// `CoreML.Specification.NonMaximumSuppression.PickTop`
    package struct PickTop: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var perClass: Bool { get throws { try message.bool(1) } }
    }
  }
}
