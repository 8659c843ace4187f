// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.ArrayFeatureExtractor`
  package struct ArrayFeatureExtractor: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var extractIndex: [UInt64] { get throws { try message.uint64s(1) } }
  }
}
