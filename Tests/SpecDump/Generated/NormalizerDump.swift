// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_Normalizer(_ view: Specification.Normalizer) throws {
    scalar("normType", try view.normType.rawValue)
  }
}
