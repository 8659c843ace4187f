// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

extension Specification {
  /// `CoreML.Specification.GLMRegressor`
  public struct GLMRegressor: MessageView {
    public let message: Message
    public init(_ message: Message) { self.message = message }
    public var weights: Views<Specification.GLMRegressor.DoubleArray> { get throws { try message.views(1, Specification.GLMRegressor.DoubleArray.self) } }
    public var offset: [Double] { get throws { try message.doubles(2) } }
    public var offsetBytes: Bytes { get throws { try message.doubleBytes(2) } }
    public var postEvaluationTransform: Specification.GLMRegressor.PostEvaluationTransform { get throws { try message.value(3, Specification.GLMRegressor.PostEvaluationTransform.self) } }
    /// `CoreML.Specification.GLMRegressor.DoubleArray`
    public struct DoubleArray: MessageView {
      public let message: Message
      public init(_ message: Message) { self.message = message }
      public var value: [Double] { get throws { try message.doubles(1) } }
      public var valueBytes: Bytes { get throws { try message.doubleBytes(1) } }
    }
    public enum PostEvaluationTransform: Int32, Sendable, CaseIterable {
      case noTransform = 0
      case logit = 1
      case probit = 2
    }
  }
}
