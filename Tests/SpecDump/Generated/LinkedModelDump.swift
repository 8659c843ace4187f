// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func Specification_LinkedModel(_ view: Specification.LinkedModel) throws {
    try one("linkedModelFile", try view.linkedModelFile) { try Specification_LinkedModelFile($0) }
    switch try view.linkType {
    case .linkedModelFile?: oneOf("LinkType", "linkedModelFile")
    case nil: break
    }
  }
  func Specification_LinkedModelFile(_ view: Specification.LinkedModelFile) throws {
    try one("linkedModelFileName", try view.linkedModelFileName) { try Specification_StringParameter($0) }
    try one("linkedModelSearchPath", try view.linkedModelSearchPath) { try Specification_StringParameter($0) }
  }
}
