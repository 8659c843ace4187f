// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension CoreMLModels {
  /// `CoreML.Specification.CoreMLModels.VisionFeaturePrint`
  package struct VisionFeaturePrint: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var scene: CoreMLModels.VisionFeaturePrint.Scene? { get throws { try message.message(20, of: Self.visionFeaturePrintTypeFields).map(CoreMLModels.VisionFeaturePrint.Scene.init) } }
    package var objects: CoreMLModels.VisionFeaturePrint.Objects? { get throws { try message.message(21, of: Self.visionFeaturePrintTypeFields).map(CoreMLModels.VisionFeaturePrint.Objects.init) } }
    static let visionFeaturePrintTypeFields = [20, 21]
    package enum OneOfVisionFeaturePrintType: Sendable {
      case scene(CoreMLModels.VisionFeaturePrint.Scene)
      case objects(CoreMLModels.VisionFeaturePrint.Objects)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(20, "scene", .scene(CoreMLModels.VisionFeaturePrint.Scene(Message()))),
          OneOfMember(21, "objects", .objects(CoreMLModels.VisionFeaturePrint.Objects(Message()))),
        ]
      }
    }
    package var visionFeaturePrintType: OneOfVisionFeaturePrintType? {
      get throws {
        guard let member = try message.member(of: Self.visionFeaturePrintTypeFields) else { return nil }
        switch member.number {
        case 20: return .scene(CoreMLModels.VisionFeaturePrint.Scene(try member.message()))
        case 21: return .objects(CoreMLModels.VisionFeaturePrint.Objects(try member.message()))
        default: return nil
        }
      }
    }
    /// `CoreML.Specification.CoreMLModels.VisionFeaturePrint.Scene`
    package struct Scene: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var version: CoreMLModels.VisionFeaturePrint.Scene.SceneVersion { get throws { try message.value(1, CoreMLModels.VisionFeaturePrint.Scene.SceneVersion.self) } }
      package enum SceneVersion: Int32, Sendable, CaseIterable {
        case sceneVersionInvalid = 0
        case sceneVersion1 = 1
        case sceneVersion2 = 2
      }
    }
    /// `CoreML.Specification.CoreMLModels.VisionFeaturePrint.Objects`
    package struct Objects: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var version: CoreMLModels.VisionFeaturePrint.Objects.ObjectsVersion { get throws { try message.value(1, CoreMLModels.VisionFeaturePrint.Objects.ObjectsVersion.self) } }
      package var output: [String] { get throws { try message.strings(100) } }
      package enum ObjectsVersion: Int32, Sendable, CaseIterable {
        case objectsVersionInvalid = 0
        case objectsVersion1 = 1
      }
    }
  }
}
