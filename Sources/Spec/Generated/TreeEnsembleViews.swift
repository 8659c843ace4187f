// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  public enum TreeEnsemblePostEvaluationTransform: Int32, Sendable, CaseIterable {
    case noTransform = 0
    case classificationSoftMax = 1
    case regressionLogistic = 2
    case classificationSoftMaxWithZeroClassReference = 3
  }
  /// `CoreML.Specification.TreeEnsembleParameters`
  public struct TreeEnsembleParameters: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var nodes: Views<Specification.TreeEnsembleParameters.TreeNode> { get throws { try message.views(1, Specification.TreeEnsembleParameters.TreeNode.self) } }
    public var numPredictionDimensions: UInt64 { get throws { try message.uint64(2) } }
    public var basePredictionValue: [Double] { get throws { try message.doubles(3) } }
    public var basePredictionValueBytes: Bytes { get throws { try message.doubleBytes(3) } }
    /// `CoreML.Specification.TreeEnsembleParameters.TreeNode`
    public struct TreeNode: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var treeId: UInt64 { get throws { try message.uint64(1) } }
      public var nodeId: UInt64 { get throws { try message.uint64(2) } }
      public var nodeBehavior: Specification.TreeEnsembleParameters.TreeNode.TreeNodeBehavior { get throws { try message.value(3, Specification.TreeEnsembleParameters.TreeNode.TreeNodeBehavior.self) } }
      public var branchFeatureIndex: UInt64 { get throws { try message.uint64(10) } }
      public var branchFeatureValue: Double { get throws { try message.double(11) } }
      public var trueChildNodeId: UInt64 { get throws { try message.uint64(12) } }
      public var falseChildNodeId: UInt64 { get throws { try message.uint64(13) } }
      public var missingValueTracksTrueChild: Bool { get throws { try message.bool(14) } }
      public var evaluationInfo: Views<Specification.TreeEnsembleParameters.TreeNode.EvaluationInfo> { get throws { try message.views(20, Specification.TreeEnsembleParameters.TreeNode.EvaluationInfo.self) } }
      public var relativeHitRate: Double { get throws { try message.double(30) } }
      /// `CoreML.Specification.TreeEnsembleParameters.TreeNode.EvaluationInfo`
      public struct EvaluationInfo: MessageView {
        public let message: Message
        public init(_ message: Message) { self.message = message }
        public var evaluationIndex: UInt64 { get throws { try message.uint64(1) } }
        public var evaluationValue: Double { get throws { try message.double(2) } }
      }
      public enum TreeNodeBehavior: Int32, Sendable, CaseIterable {
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
  public struct TreeEnsembleClassifier: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var treeEnsemble: Specification.TreeEnsembleParameters? { get throws { try message.message(1).map(Specification.TreeEnsembleParameters.init) } }
    public var postEvaluationTransform: Specification.TreeEnsemblePostEvaluationTransform { get throws { try message.value(2, Specification.TreeEnsemblePostEvaluationTransform.self) } }
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
  }
  /// `CoreML.Specification.TreeEnsembleRegressor`
  public struct TreeEnsembleRegressor: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var treeEnsemble: Specification.TreeEnsembleParameters? { get throws { try message.message(1).map(Specification.TreeEnsembleParameters.init) } }
    public var postEvaluationTransform: Specification.TreeEnsemblePostEvaluationTransform { get throws { try message.value(2, Specification.TreeEnsemblePostEvaluationTransform.self) } }
  }
}
