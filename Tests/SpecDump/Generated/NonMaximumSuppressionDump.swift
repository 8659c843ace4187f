// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_NonMaximumSuppression(_ view: Specification.NonMaximumSuppression) throws {
    try one("pickTop", try view.pickTop) { try Specification_NonMaximumSuppression_PickTop($0) }
    try one("stringClassLabels", try view.stringClassLabels) { try Specification_StringVector($0) }
    try one("int64ClassLabels", try view.int64ClassLabels) { try Specification_Int64Vector($0) }
    scalar("iouThreshold", try view.iouThreshold)
    scalar("confidenceThreshold", try view.confidenceThreshold)
    scalar("confidenceInputFeatureName", try view.confidenceInputFeatureName)
    scalar("coordinatesInputFeatureName", try view.coordinatesInputFeatureName)
    scalar("iouThresholdInputFeatureName", try view.iouThresholdInputFeatureName)
    scalar("confidenceThresholdInputFeatureName", try view.confidenceThresholdInputFeatureName)
    scalar("confidenceOutputFeatureName", try view.confidenceOutputFeatureName)
    scalar("coordinatesOutputFeatureName", try view.coordinatesOutputFeatureName)
    switch try view.suppressionMethod {
    case .pickTop?: oneOf("SuppressionMethod", "pickTop")
    case nil: break
    }
    switch try view.classLabels {
    case .stringClassLabels?: oneOf("ClassLabels", "stringClassLabels")
    case .int64ClassLabels?: oneOf("ClassLabels", "int64ClassLabels")
    case nil: break
    }
  }
  func Specification_NonMaximumSuppression_PickTop(_ view: Specification.NonMaximumSuppression.PickTop) throws {
    scalar("perClass", try view.perClass)
  }
}
