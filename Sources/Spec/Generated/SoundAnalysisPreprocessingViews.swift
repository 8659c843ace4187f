// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension CoreMLModels {
  /// `CoreML.Specification.CoreMLModels.SoundAnalysisPreprocessing`
  package struct SoundAnalysisPreprocessing: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var vggish: CoreMLModels.SoundAnalysisPreprocessing.Vggish? { get throws { try message.message(20, of: Self.soundAnalysisPreprocessingTypeFields).map(CoreMLModels.SoundAnalysisPreprocessing.Vggish.init) } }
    static let soundAnalysisPreprocessingTypeFields = [20]
    package enum OneOfSoundAnalysisPreprocessingType: Sendable {
      case vggish(CoreMLModels.SoundAnalysisPreprocessing.Vggish)
      /// Every member under its name in the schema, with nothing in it.
      package static var members: [OneOfMember<Self>] {
        [
          OneOfMember(20, "vggish", .vggish(CoreMLModels.SoundAnalysisPreprocessing.Vggish(Message()))),
        ]
      }
    }
    package var soundAnalysisPreprocessingType: OneOfSoundAnalysisPreprocessingType? {
      get throws {
        guard let member = try message.member(of: Self.soundAnalysisPreprocessingTypeFields) else { return nil }
        switch member.number {
        case 20: return .vggish(CoreMLModels.SoundAnalysisPreprocessing.Vggish(try member.message()))
        default: return nil
        }
      }
    }
    /// `CoreML.Specification.CoreMLModels.SoundAnalysisPreprocessing.Vggish`
    package struct Vggish: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
    }
  }
}
