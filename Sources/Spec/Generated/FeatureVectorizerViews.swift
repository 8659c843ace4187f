// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.FeatureVectorizer`
  package struct FeatureVectorizer: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var inputList: Views<Specification.FeatureVectorizer.InputColumn> { get throws { try message.views(1, Specification.FeatureVectorizer.InputColumn.self) } }
    /// `CoreML.Specification.FeatureVectorizer.InputColumn`
    package struct InputColumn: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var inputColumn: String { get throws { try message.string(1) } }
      package var inputDimensions: UInt64 { get throws { try message.uint64(2) } }
    }
  }
}
