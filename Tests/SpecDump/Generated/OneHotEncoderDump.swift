// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_OneHotEncoder(_ view: Specification.OneHotEncoder) throws {
    try one("stringCategories", try view.stringCategories) { try Specification_StringVector($0) }
    try one("int64Categories", try view.int64Categories) { try Specification_Int64Vector($0) }
    scalar("outputSparse", try view.outputSparse)
    scalar("handleUnknown", try view.handleUnknown.rawValue)
    switch try view.categoryType {
    case .stringCategories?: oneOf("CategoryType", "stringCategories")
    case .int64Categories?: oneOf("CategoryType", "int64Categories")
    case nil: break
    }
  }
}
