// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLBase

extension Specification {
  /// `CoreML.Specification.GLMClassifier`
  package struct GLMClassifier: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var weights: Views<Specification.GLMClassifier.DoubleArray> { get throws { try message.views(1, Specification.GLMClassifier.DoubleArray.self) } }
    package var offset: [Double] { get throws { try message.doubles(2) } }
    package var offsetBytes: Bytes { get throws { try message.doubleBytes(2) } }
    package var postEvaluationTransform: Specification.GLMClassifier.PostEvaluationTransform { get throws { try message.value(3, Specification.GLMClassifier.PostEvaluationTransform.self) } }
    package var classEncoding: Specification.GLMClassifier.ClassEncoding { get throws { try message.value(4, Specification.GLMClassifier.ClassEncoding.self) } }
    package var stringClassLabels: Specification.StringVector? { get throws { try message.message(100, of: Self.classLabelsFields).map(Specification.StringVector.init) } }
    package var int64ClassLabels: Specification.Int64Vector? { get throws { try message.message(101, of: Self.classLabelsFields).map(Specification.Int64Vector.init) } }
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
    /// `CoreML.Specification.GLMClassifier.DoubleArray`
    package struct DoubleArray: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var value: [Double] { get throws { try message.doubles(1) } }
      package var valueBytes: Bytes { get throws { try message.doubleBytes(1) } }
    }
    package enum PostEvaluationTransform: Int32, Sendable, CaseIterable {
      case logit = 0
      case probit = 1
    }
    package enum ClassEncoding: Int32, Sendable, CaseIterable {
      case referenceClass = 0
      case oneVsRest = 1
    }
  }
}
