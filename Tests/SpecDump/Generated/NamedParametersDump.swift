// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_Int32Range(_ view: Specification.Int32Range) throws {
    scalar("minValue", try view.minValue)
    scalar("maxValue", try view.maxValue)
  }
  func Specification_Int32Set(_ view: Specification.Int32Set) throws {
    list("values", try view.values)
  }
  func Specification_FloatRange(_ view: Specification.FloatRange) throws {
    scalar("minValue", try view.minValue)
    scalar("maxValue", try view.maxValue)
  }
  func Specification_Int32Parameter(_ view: Specification.Int32Parameter) throws {
    scalar("defaultValue", try view.defaultValue)
    try one("range", try view.range) { try Specification_Int32Range($0) }
    try one("set", try view.set) { try Specification_Int32Set($0) }
    switch try view.allowedValues {
    case .range?: oneOf("AllowedValues", "range")
    case .set?: oneOf("AllowedValues", "set")
    case nil: break
    }
  }
  func Specification_FloatParameter(_ view: Specification.FloatParameter) throws {
    scalar("defaultValue", try view.defaultValue)
    try one("range", try view.range) { try Specification_FloatRange($0) }
    switch try view.allowedValues {
    case .range?: oneOf("AllowedValues", "range")
    case nil: break
    }
  }
  func Specification_Parameter(_ view: Specification.Parameter) throws {
    try one("int32Parameter", try view.int32Parameter) { try Specification_Int32Parameter($0) }
    try one("floatParameter", try view.floatParameter) { try Specification_FloatParameter($0) }
    switch try view.type {
    case .int32Parameter?: oneOf("Type", "int32Parameter")
    case .floatParameter?: oneOf("Type", "floatParameter")
    case nil: break
    }
  }
  func Specification_NamedParameter(_ view: Specification.NamedParameter) throws {
    scalar("name", try view.name)
    scalar("shortDescription", try view.shortDescription)
    try one("parameter", try view.parameter) { try Specification_Parameter($0) }
  }
}
