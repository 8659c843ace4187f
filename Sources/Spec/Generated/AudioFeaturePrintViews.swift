// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension CoreMLModels {
  /// `CoreML.Specification.CoreMLModels.AudioFeaturePrint`
  package struct AudioFeaturePrint: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var sound: CoreMLModels.AudioFeaturePrint.Sound? { get throws { try message.message(20, of: Self.audioFeaturePrintTypeFields).map(CoreMLModels.AudioFeaturePrint.Sound.init) } }
    static let audioFeaturePrintTypeFields = [20]
    package enum OneOfAudioFeaturePrintType: Sendable {
      case sound(CoreMLModels.AudioFeaturePrint.Sound)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(20, "sound", .sound(CoreMLModels.AudioFeaturePrint.Sound(Message()))),
        ]
      }
    }
    package var audioFeaturePrintType: OneOfAudioFeaturePrintType? {
      get throws {
        guard let member = try message.member(of: Self.audioFeaturePrintTypeFields) else { return nil }
        switch member.number {
        case 20: return .sound(CoreMLModels.AudioFeaturePrint.Sound(try member.message()))
        default: return nil
        }
      }
    }
    /// `CoreML.Specification.CoreMLModels.AudioFeaturePrint.Sound`
    package struct Sound: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var version: CoreMLModels.AudioFeaturePrint.Sound.SoundVersion { get throws { try message.value(1, CoreMLModels.AudioFeaturePrint.Sound.SoundVersion.self) } }
      package enum SoundVersion: Int32, Sendable, CaseIterable {
        case soundVersionInvalid = 0
        case soundVersion1 = 1
      }
    }
  }
}
