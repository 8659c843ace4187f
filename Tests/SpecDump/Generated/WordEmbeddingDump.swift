// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func CoreMLModels_WordEmbedding(_ view: CoreMLModels.WordEmbedding) throws {
    scalar("revision", try view.revision)
    scalar("language", try view.language)
    scalar("modelParameterData", try view.modelParameterData)
  }
}
