// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_Identity(_ view: Specification.Identity) throws {
  }
}
