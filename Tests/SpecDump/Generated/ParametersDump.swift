// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_Int64Parameter(_ view: Specification.Int64Parameter) throws {
    scalar("defaultValue", try view.defaultValue)
    try one("range", try view.range) { try Specification_Int64Range($0) }
    try one("set", try view.set) { try Specification_Int64Set($0) }
    switch try view.allowedValues {
    case .range?: oneOf("AllowedValues", "range")
    case .set?: oneOf("AllowedValues", "set")
    case nil: break
    }
  }
  func Specification_DoubleParameter(_ view: Specification.DoubleParameter) throws {
    scalar("defaultValue", try view.defaultValue)
    try one("range", try view.range) { try Specification_DoubleRange($0) }
    switch try view.allowedValues {
    case .range?: oneOf("AllowedValues", "range")
    case nil: break
    }
  }
  func Specification_StringParameter(_ view: Specification.StringParameter) throws {
    scalar("defaultValue", try view.defaultValue)
  }
  func Specification_BoolParameter(_ view: Specification.BoolParameter) throws {
    scalar("defaultValue", try view.defaultValue)
  }
}
