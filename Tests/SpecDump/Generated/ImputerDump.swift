// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_Imputer(_ view: Specification.Imputer) throws {
    member("imputedDoubleValue", try view.imputedDoubleValue)
    member("imputedInt64Value", try view.imputedInt64Value)
    member("imputedStringValue", try view.imputedStringValue)
    try one("imputedDoubleArray", try view.imputedDoubleArray) { try Specification_DoubleVector($0) }
    try one("imputedInt64Array", try view.imputedInt64Array) { try Specification_Int64Vector($0) }
    try one("imputedStringDictionary", try view.imputedStringDictionary) { try Specification_StringToDoubleMap($0) }
    try one("imputedInt64Dictionary", try view.imputedInt64Dictionary) { try Specification_Int64ToDoubleMap($0) }
    member("replaceDoubleValue", try view.replaceDoubleValue)
    member("replaceInt64Value", try view.replaceInt64Value)
    member("replaceStringValue", try view.replaceStringValue)
    switch try view.imputedValue {
    case .imputedDoubleValue?: oneOf("ImputedValue", "imputedDoubleValue")
    case .imputedInt64Value?: oneOf("ImputedValue", "imputedInt64Value")
    case .imputedStringValue?: oneOf("ImputedValue", "imputedStringValue")
    case .imputedDoubleArray?: oneOf("ImputedValue", "imputedDoubleArray")
    case .imputedInt64Array?: oneOf("ImputedValue", "imputedInt64Array")
    case .imputedStringDictionary?: oneOf("ImputedValue", "imputedStringDictionary")
    case .imputedInt64Dictionary?: oneOf("ImputedValue", "imputedInt64Dictionary")
    case nil: break
    }
    switch try view.replaceValue {
    case .replaceDoubleValue?: oneOf("ReplaceValue", "replaceDoubleValue")
    case .replaceInt64Value?: oneOf("ReplaceValue", "replaceInt64Value")
    case .replaceStringValue?: oneOf("ReplaceValue", "replaceStringValue")
    case nil: break
    }
  }
}
