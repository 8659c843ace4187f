// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.Identity`
  public struct Identity: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
  }
}
