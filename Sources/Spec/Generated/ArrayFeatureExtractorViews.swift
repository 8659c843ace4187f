// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.ArrayFeatureExtractor`
  public struct ArrayFeatureExtractor: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var extractIndex: [UInt64] { get throws { try message.uint64s(1) } }
  }
}
