// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLSpec

extension Dump {
  func CoreMLModels_VisionFeaturePrint(_ view: CoreMLModels.VisionFeaturePrint) throws {
    try one("scene", try view.scene) { try CoreMLModels_VisionFeaturePrint_Scene($0) }
    try one("objects", try view.objects) { try CoreMLModels_VisionFeaturePrint_Objects($0) }
    switch try view.visionFeaturePrintType {
    case .scene?: oneOf("VisionFeaturePrintType", "scene")
    case .objects?: oneOf("VisionFeaturePrintType", "objects")
    case nil: break
    }
  }
  func CoreMLModels_VisionFeaturePrint_Scene(_ view: CoreMLModels.VisionFeaturePrint.Scene) throws {
    scalar("version", try view.version.rawValue)
  }
  func CoreMLModels_VisionFeaturePrint_Objects(_ view: CoreMLModels.VisionFeaturePrint.Objects) throws {
    scalar("version", try view.version.rawValue)
    list("output", try view.output)
  }
}
