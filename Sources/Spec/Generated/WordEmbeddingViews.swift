// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension CoreMLModels {
  /// `CoreML.Specification.CoreMLModels.WordEmbedding`
  public struct WordEmbedding: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var revision: UInt32 { get throws { try message.uint32(1) } }
    public var language: String { get throws { try message.string(10) } }
    public var modelParameterData: Bytes { get throws { try message.bytes(100) } }
  }
}
