// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_GLMClassifier(_ view: Specification.GLMClassifier) throws {
    try each("weights", try view.weights) { try Specification_GLMClassifier_DoubleArray($0) }
    list("offset", try view.offset, try view.offsetBytes)
    scalar("postEvaluationTransform", try view.postEvaluationTransform.rawValue)
    scalar("classEncoding", try view.classEncoding.rawValue)
    try one("stringClassLabels", try view.stringClassLabels) { try Specification_StringVector($0) }
    try one("int64ClassLabels", try view.int64ClassLabels) { try Specification_Int64Vector($0) }
    switch try view.classLabels {
    case .stringClassLabels?: oneOf("ClassLabels", "stringClassLabels")
    case .int64ClassLabels?: oneOf("ClassLabels", "int64ClassLabels")
    case nil: break
    }
  }
  func Specification_GLMClassifier_DoubleArray(_ view: Specification.GLMClassifier.DoubleArray) throws {
    list("value", try view.value, try view.valueBytes)
  }
}
