// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.FeatureVectorizer`
  public struct FeatureVectorizer: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var inputList: Views<Specification.FeatureVectorizer.InputColumn> { get throws { try message.views(1, Specification.FeatureVectorizer.InputColumn.self) } }
    /// `CoreML.Specification.FeatureVectorizer.InputColumn`
    public struct InputColumn: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var inputColumn: String { get throws { try message.string(1) } }
      public var inputDimensions: UInt64 { get throws { try message.uint64(2) } }
    }
  }
}
