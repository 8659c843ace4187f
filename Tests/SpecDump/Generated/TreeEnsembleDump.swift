// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_TreeEnsembleParameters(_ view: Specification.TreeEnsembleParameters) throws {
    try each("nodes", try view.nodes) { try Specification_TreeEnsembleParameters_TreeNode($0) }
    scalar("numPredictionDimensions", try view.numPredictionDimensions)
    list("basePredictionValue", try view.basePredictionValue, try view.basePredictionValueBytes)
  }
  func Specification_TreeEnsembleParameters_TreeNode(_ view: Specification.TreeEnsembleParameters.TreeNode) throws {
    scalar("treeId", try view.treeId)
    scalar("nodeId", try view.nodeId)
    scalar("nodeBehavior", try view.nodeBehavior.rawValue)
    scalar("branchFeatureIndex", try view.branchFeatureIndex)
    scalar("branchFeatureValue", try view.branchFeatureValue)
    scalar("trueChildNodeId", try view.trueChildNodeId)
    scalar("falseChildNodeId", try view.falseChildNodeId)
    scalar("missingValueTracksTrueChild", try view.missingValueTracksTrueChild)
    try each("evaluationInfo", try view.evaluationInfo) { try Specification_TreeEnsembleParameters_TreeNode_EvaluationInfo($0) }
    scalar("relativeHitRate", try view.relativeHitRate)
  }
  func Specification_TreeEnsembleParameters_TreeNode_EvaluationInfo(_ view: Specification.TreeEnsembleParameters.TreeNode.EvaluationInfo) throws {
    scalar("evaluationIndex", try view.evaluationIndex)
    scalar("evaluationValue", try view.evaluationValue)
  }
  func Specification_TreeEnsembleClassifier(_ view: Specification.TreeEnsembleClassifier) throws {
    try one("treeEnsemble", try view.treeEnsemble) { try Specification_TreeEnsembleParameters($0) }
    scalar("postEvaluationTransform", try view.postEvaluationTransform.rawValue)
    try one("stringClassLabels", try view.stringClassLabels) { try Specification_StringVector($0) }
    try one("int64ClassLabels", try view.int64ClassLabels) { try Specification_Int64Vector($0) }
    switch try view.classLabels {
    case .stringClassLabels?: oneOf("ClassLabels", "stringClassLabels")
    case .int64ClassLabels?: oneOf("ClassLabels", "int64ClassLabels")
    case nil: break
    }
  }
  func Specification_TreeEnsembleRegressor(_ view: Specification.TreeEnsembleRegressor) throws {
    try one("treeEnsemble", try view.treeEnsemble) { try Specification_TreeEnsembleParameters($0) }
    scalar("postEvaluationTransform", try view.postEvaluationTransform.rawValue)
  }
}
