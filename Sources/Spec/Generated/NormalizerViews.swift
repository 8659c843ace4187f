// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.Normalizer`
  package struct Normalizer: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var normType: Specification.Normalizer.NormType { get throws { try message.value(1, Specification.Normalizer.NormType.self) } }
    package enum NormType: Int32, Sendable, CaseIterable {
      case lMax = 0
      case l1 = 1
      case l2 = 2
    }
  }
}
