// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.ClassConfidenceThresholding`
  package struct ClassConfidenceThresholding: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var precisionRecallCurves: Views<Specification.PrecisionRecallCurve> { get throws { try message.views(100, Specification.PrecisionRecallCurve.self) } }
  }
}
