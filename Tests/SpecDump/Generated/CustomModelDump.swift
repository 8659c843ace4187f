// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_CustomModel(_ view: Specification.CustomModel) throws {
    scalar("className", try view.className)
    try map("parameters", try view.parameters, try view.parametersInOrder.count) { try Specification_CustomModel_CustomModelParamValue($0) }
    scalar("description", try view.description)
  }
  func Specification_CustomModel_CustomModelParamValue(_ view: Specification.CustomModel.CustomModelParamValue) throws {
    member("doubleValue", try view.doubleValue)
    member("stringValue", try view.stringValue)
    member("intValue", try view.intValue)
    member("longValue", try view.longValue)
    member("boolValue", try view.boolValue)
    member("bytesValue", try view.bytesValue)
    switch try view.value {
    case .doubleValue?: oneOf("value", "doubleValue")
    case .stringValue?: oneOf("value", "stringValue")
    case .intValue?: oneOf("value", "intValue")
    case .longValue?: oneOf("value", "longValue")
    case .boolValue?: oneOf("value", "boolValue")
    case .bytesValue?: oneOf("value", "bytesValue")
    case nil: break
    }
  }
}
