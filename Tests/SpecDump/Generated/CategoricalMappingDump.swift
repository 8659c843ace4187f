// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_CategoricalMapping(_ view: Specification.CategoricalMapping) throws {
    try one("stringToInt64Map", try view.stringToInt64Map) { try Specification_StringToInt64Map($0) }
    try one("int64ToStringMap", try view.int64ToStringMap) { try Specification_Int64ToStringMap($0) }
    member("strValue", try view.strValue)
    member("int64Value", try view.int64Value)
    switch try view.mappingType {
    case .stringToInt64Map?: oneOf("MappingType", "stringToInt64Map")
    case .int64ToStringMap?: oneOf("MappingType", "int64ToStringMap")
    case nil: break
    }
    switch try view.valueOnUnknown {
    case .strValue?: oneOf("ValueOnUnknown", "strValue")
    case .int64Value?: oneOf("ValueOnUnknown", "int64Value")
    case nil: break
    }
  }
}
