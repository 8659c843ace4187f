// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func CoreMLModels_AudioFeaturePrint(_ view: CoreMLModels.AudioFeaturePrint) throws {
    try one("sound", try view.sound) { try CoreMLModels_AudioFeaturePrint_Sound($0) }
    switch try view.audioFeaturePrintType {
    case .sound?: oneOf("AudioFeaturePrintType", "sound")
    case nil: break
    }
  }
  func CoreMLModels_AudioFeaturePrint_Sound(_ view: CoreMLModels.AudioFeaturePrint.Sound) throws {
    scalar("version", try view.version.rawValue)
  }
}
