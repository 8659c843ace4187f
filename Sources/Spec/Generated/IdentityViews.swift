// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.Identity`
  package struct Identity: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
  }
}
