// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_Scaler(_ view: Specification.Scaler) throws {
    list("shiftValue", try view.shiftValue, try view.shiftValueBytes)
    list("scaleValue", try view.scaleValue, try view.scaleValueBytes)
  }
}
