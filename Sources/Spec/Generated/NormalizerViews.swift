// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.Normalizer`
  public struct Normalizer: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var normType: Specification.Normalizer.NormType { get throws { try message.value(1, Specification.Normalizer.NormType.self) } }
    public enum NormType: Int32, Sendable, CaseIterable {
      case lMax = 0
      case l1 = 1
      case l2 = 2
    }
  }
}
