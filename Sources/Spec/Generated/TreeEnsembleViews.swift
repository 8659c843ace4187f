// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLBase

extension Specification {
  package enum TreeEnsemblePostEvaluationTransform: Int32, Sendable, CaseIterable {
    case noTransform = 0
    case classificationSoftMax = 1
    case regressionLogistic = 2
    case classificationSoftMaxWithZeroClassReference = 3
  }
  /// `CoreML.Specification.TreeEnsembleParameters`
  package struct TreeEnsembleParameters: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var nodes: Views<Specification.TreeEnsembleParameters.TreeNode> { get throws { try message.views(1, Specification.TreeEnsembleParameters.TreeNode.self) } }
    package var numPredictionDimensions: UInt64 { get throws { try message.uint64(2) } }
    package var basePredictionValue: [Double] { get throws { try message.doubles(3) } }
    package var basePredictionValueBytes: Bytes { get throws { try message.doubleBytes(3) } }
    /// `CoreML.Specification.TreeEnsembleParameters.TreeNode`
    package struct TreeNode: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var treeId: UInt64 { get throws { try message.uint64(1) } }
      package var nodeId: UInt64 { get throws { try message.uint64(2) } }
      package var nodeBehavior: Specification.TreeEnsembleParameters.TreeNode.TreeNodeBehavior { get throws { try message.value(3, Specification.TreeEnsembleParameters.TreeNode.TreeNodeBehavior.self) } }
      package var branchFeatureIndex: UInt64 { get throws { try message.uint64(10) } }
      package var branchFeatureValue: Double { get throws { try message.double(11) } }
      package var trueChildNodeId: UInt64 { get throws { try message.uint64(12) } }
      package var falseChildNodeId: UInt64 { get throws { try message.uint64(13) } }
      package var missingValueTracksTrueChild: Bool { get throws { try message.bool(14) } }
      package var evaluationInfo: Views<Specification.TreeEnsembleParameters.TreeNode.EvaluationInfo> { get throws { try message.views(20, Specification.TreeEnsembleParameters.TreeNode.EvaluationInfo.self) } }
      package var relativeHitRate: Double { get throws { try message.double(30) } }
      /// `CoreML.Specification.TreeEnsembleParameters.TreeNode.EvaluationInfo`
      package struct EvaluationInfo: MessageView {
        package let message: Message
        package init(_ message: Message) { self.message = message }
        package var evaluationIndex: UInt64 { get throws { try message.uint64(1) } }
        package var evaluationValue: Double { get throws { try message.double(2) } }
      }
      package enum TreeNodeBehavior: Int32, Sendable, CaseIterable {
        case branchOnValueLessThanEqual = 0
        case branchOnValueLessThan = 1
        case branchOnValueGreaterThanEqual = 2
        case branchOnValueGreaterThan = 3
        case branchOnValueEqual = 4
        case branchOnValueNotEqual = 5
        case leafNode = 6
      }
    }
  }
  /// `CoreML.Specification.TreeEnsembleClassifier`
  package struct TreeEnsembleClassifier: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var treeEnsemble: Specification.TreeEnsembleParameters? { get throws { try message.message(1).map(Specification.TreeEnsembleParameters.init) } }
    package var postEvaluationTransform: Specification.TreeEnsemblePostEvaluationTransform { get throws { try message.value(2, Specification.TreeEnsemblePostEvaluationTransform.self) } }
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
  }
  /// `CoreML.Specification.TreeEnsembleRegressor`
  package struct TreeEnsembleRegressor: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var treeEnsemble: Specification.TreeEnsembleParameters? { get throws { try message.message(1).map(Specification.TreeEnsembleParameters.init) } }
    package var postEvaluationTransform: Specification.TreeEnsemblePostEvaluationTransform { get throws { try message.value(2, Specification.TreeEnsemblePostEvaluationTransform.self) } }
  }
}
