// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_FeatureVectorizer(_ view: Specification.FeatureVectorizer) throws {
    try each("inputList", try view.inputList) { try Specification_FeatureVectorizer_InputColumn($0) }
  }
  func Specification_FeatureVectorizer_InputColumn(_ view: Specification.FeatureVectorizer.InputColumn) throws {
    scalar("inputColumn", try view.inputColumn)
    scalar("inputDimensions", try view.inputDimensions)
  }
}
