// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.ClassConfidenceThresholding`
  public struct ClassConfidenceThresholding: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var precisionRecallCurves: Views<Specification.PrecisionRecallCurve> { get throws { try message.views(100, Specification.PrecisionRecallCurve.self) } }
  }
}
