// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

import CoreMLBase

extension Specification {
  /// `CoreML.Specification.GLMRegressor`
  package struct GLMRegressor: MessageView {
    package let message: Message
    package init(_ message: Message) { self.message = message }
    package var weights: Views<Specification.GLMRegressor.DoubleArray> { get throws { try message.views(1, Specification.GLMRegressor.DoubleArray.self) } }
    package var offset: [Double] { get throws { try message.doubles(2) } }
    package var offsetBytes: Bytes { get throws { try message.doubleBytes(2) } }
    package var postEvaluationTransform: Specification.GLMRegressor.PostEvaluationTransform { get throws { try message.value(3, Specification.GLMRegressor.PostEvaluationTransform.self) } }
    /// `CoreML.Specification.GLMRegressor.DoubleArray`
    package struct DoubleArray: MessageView {
      package let message: Message
      package init(_ message: Message) { self.message = message }
      package var value: [Double] { get throws { try message.doubles(1) } }
      package var valueBytes: Bytes { get throws { try message.doubleBytes(1) } }
    }
    package enum PostEvaluationTransform: Int32, Sendable, CaseIterable {
      case noTransform = 0
      case logit = 1
      case probit = 2
    }
  }
}
