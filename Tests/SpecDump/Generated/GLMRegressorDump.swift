// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_GLMRegressor(_ view: Specification.GLMRegressor) throws {
    try each("weights", try view.weights) { try Specification_GLMRegressor_DoubleArray($0) }
    list("offset", try view.offset, try view.offsetBytes)
    scalar("postEvaluationTransform", try view.postEvaluationTransform.rawValue)
  }
  func Specification_GLMRegressor_DoubleArray(_ view: Specification.GLMRegressor.DoubleArray) throws {
    list("value", try view.value, try view.valueBytes)
  }
}
