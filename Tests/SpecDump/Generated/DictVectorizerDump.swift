// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_DictVectorizer(_ view: Specification.DictVectorizer) throws {
    try one("stringToIndex", try view.stringToIndex) { try Specification_StringVector($0) }
    try one("int64ToIndex", try view.int64ToIndex) { try Specification_Int64Vector($0) }
    switch try view.map {
    case .stringToIndex?: oneOf("Map", "stringToIndex")
    case .int64ToIndex?: oneOf("Map", "int64ToIndex")
    case nil: break
    }
  }
}
