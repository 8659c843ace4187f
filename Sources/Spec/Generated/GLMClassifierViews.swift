// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.GLMClassifier`
  public struct GLMClassifier: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var weights: Views<Specification.GLMClassifier.DoubleArray> { get throws { try message.views(1, Specification.GLMClassifier.DoubleArray.self) } }
    public var offset: [Double] { get throws { try message.doubles(2) } }
    public var offsetBytes: Bytes { get throws { try message.doubleBytes(2) } }
    public var postEvaluationTransform: Specification.GLMClassifier.PostEvaluationTransform { get throws { try message.value(3, Specification.GLMClassifier.PostEvaluationTransform.self) } }
    public var classEncoding: Specification.GLMClassifier.ClassEncoding { get throws { try message.value(4, Specification.GLMClassifier.ClassEncoding.self) } }
    public var stringClassLabels: Specification.StringVector? { get throws { try message.message(100, of: Self.classLabelsFields).map(Specification.StringVector.init) } }
    public var int64ClassLabels: Specification.Int64Vector? { get throws { try message.message(101, of: Self.classLabelsFields).map(Specification.Int64Vector.init) } }
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
    /// `CoreML.Specification.GLMClassifier.DoubleArray`
    public struct DoubleArray: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var value: [Double] { get throws { try message.doubles(1) } }
      public var valueBytes: Bytes { get throws { try message.doubleBytes(1) } }
    }
    public enum PostEvaluationTransform: Int32, Sendable, CaseIterable {
      case logit = 0
      case probit = 1
    }
    public enum ClassEncoding: Int32, Sendable, CaseIterable {
      case referenceClass = 0
      case oneVsRest = 1
    }
  }
}
