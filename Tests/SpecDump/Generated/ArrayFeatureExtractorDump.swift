// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_ArrayFeatureExtractor(_ view: Specification.ArrayFeatureExtractor) throws {
    list("extractIndex", try view.extractIndex)
  }
}
