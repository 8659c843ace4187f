// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_ClassConfidenceThresholding(_ view: Specification.ClassConfidenceThresholding) throws {
    try each("precisionRecallCurves", try view.precisionRecallCurves) { try Specification_PrecisionRecallCurve($0) }
  }
}
