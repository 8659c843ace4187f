// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func CoreMLModels_WordTagger(_ view: CoreMLModels.WordTagger) throws {
    scalar("revision", try view.revision)
    scalar("language", try view.language)
    scalar("tokensOutputFeatureName", try view.tokensOutputFeatureName)
    scalar("tokenTagsOutputFeatureName", try view.tokenTagsOutputFeatureName)
    scalar("tokenLocationsOutputFeatureName", try view.tokenLocationsOutputFeatureName)
    scalar("tokenLengthsOutputFeatureName", try view.tokenLengthsOutputFeatureName)
    scalar("modelParameterData", try view.modelParameterData)
    try one("stringTags", try view.stringTags) { try Specification_StringVector($0) }
    switch try view.tags {
    case .stringTags?: oneOf("Tags", "stringTags")
    case nil: break
    }
  }
}
