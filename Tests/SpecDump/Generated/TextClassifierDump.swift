// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func CoreMLModels_TextClassifier(_ view: CoreMLModels.TextClassifier) throws {
    scalar("revision", try view.revision)
    scalar("language", try view.language)
    scalar("modelParameterData", try view.modelParameterData)
    try one("stringClassLabels", try view.stringClassLabels) { try Specification_StringVector($0) }
    switch try view.classLabels {
    case .stringClassLabels?: oneOf("ClassLabels", "stringClassLabels")
    case nil: break
    }
  }
}
