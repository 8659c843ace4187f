// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.NonMaximumSuppression`
  public struct NonMaximumSuppression: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var pickTop: Specification.NonMaximumSuppression.PickTop? { get throws { try message.message(1, of: Self.suppressionMethodFields).map(Specification.NonMaximumSuppression.PickTop.init) } }
    public var stringClassLabels: Specification.StringVector? { get throws { try message.message(100, of: Self.classLabelsFields).map(Specification.StringVector.init) } }
    public var int64ClassLabels: Specification.Int64Vector? { get throws { try message.message(101, of: Self.classLabelsFields).map(Specification.Int64Vector.init) } }
    public var iouThreshold: Double { get throws { try message.double(110) } }
    public var confidenceThreshold: Double { get throws { try message.double(111) } }
    public var confidenceInputFeatureName: String { get throws { try message.string(200) } }
    public var coordinatesInputFeatureName: String { get throws { try message.string(201) } }
    public var iouThresholdInputFeatureName: String { get throws { try message.string(202) } }
    public var confidenceThresholdInputFeatureName: String { get throws { try message.string(203) } }
    public var confidenceOutputFeatureName: String { get throws { try message.string(210) } }
    public var coordinatesOutputFeatureName: String { get throws { try message.string(211) } }
    static let suppressionMethodFields = [1]
    public enum OneOfSuppressionMethod: Sendable {
      case pickTop(Specification.NonMaximumSuppression.PickTop)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(1, "pickTop", .pickTop(Specification.NonMaximumSuppression.PickTop(Message()))),
        ]
      }
    }
    public var suppressionMethod: OneOfSuppressionMethod? {
      get throws {
        guard let member = try message.member(of: Self.suppressionMethodFields) else { return nil }
        switch member.number {
        case 1: return .pickTop(Specification.NonMaximumSuppression.PickTop(try member.message()))
        default: return nil
        }
      }
    }
    static let classLabelsFields = [100, 101]
    public enum OneOfClassLabels: Sendable {
      case stringClassLabels(Specification.StringVector)
      case int64ClassLabels(Specification.Int64Vector)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(100, "stringClassLabels", .stringClassLabels(Specification.StringVector(Message()))),
          OneOfMember(101, "int64ClassLabels", .int64ClassLabels(Specification.Int64Vector(Message()))),
        ]
      }
    }
    public var classLabels: OneOfClassLabels? {
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
    public struct PickTop: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var perClass: Bool { get throws { try message.bool(1) } }
    }
  }
}
