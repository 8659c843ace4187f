// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension CoreMLModels {
  /// `CoreML.Specification.CoreMLModels.SoundAnalysisPreprocessing`
  public struct SoundAnalysisPreprocessing: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var vggish: CoreMLModels.SoundAnalysisPreprocessing.Vggish? { get throws { try message.message(20, of: Self.soundAnalysisPreprocessingTypeFields).map(CoreMLModels.SoundAnalysisPreprocessing.Vggish.init) } }
    static let soundAnalysisPreprocessingTypeFields = [20]
    public enum OneOfSoundAnalysisPreprocessingType: Sendable {
      case vggish(CoreMLModels.SoundAnalysisPreprocessing.Vggish)
      /// Every member under its name in the schema, with nothing in it.
      public static var members: [OneOfMember<Self>] {
        [
          OneOfMember(20, "vggish", .vggish(CoreMLModels.SoundAnalysisPreprocessing.Vggish(Message()))),
        ]
      }
    }
    public var soundAnalysisPreprocessingType: OneOfSoundAnalysisPreprocessingType? {
      get throws {
        guard let member = try message.member(of: Self.soundAnalysisPreprocessingTypeFields) else { return nil }
        switch member.number {
        case 20: return .vggish(CoreMLModels.SoundAnalysisPreprocessing.Vggish(try member.message()))
        default: return nil
        }
      }
    }
    /// `CoreML.Specification.CoreMLModels.SoundAnalysisPreprocessing.Vggish`
    public struct Vggish: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
    }
  }
}
