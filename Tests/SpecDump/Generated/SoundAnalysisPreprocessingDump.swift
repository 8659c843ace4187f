// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func CoreMLModels_SoundAnalysisPreprocessing(_ view: CoreMLModels.SoundAnalysisPreprocessing) throws {
    try one("vggish", try view.vggish) { try CoreMLModels_SoundAnalysisPreprocessing_Vggish($0) }
    switch try view.soundAnalysisPreprocessingType {
    case .vggish?: oneOf("SoundAnalysisPreprocessingType", "vggish")
    case nil: break
    }
  }
  func CoreMLModels_SoundAnalysisPreprocessing_Vggish(_ view: CoreMLModels.SoundAnalysisPreprocessing.Vggish) throws {
  }
}
