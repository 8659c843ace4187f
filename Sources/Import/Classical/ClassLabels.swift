import CoreMLBase
import CoreMLSpec
import MIL

/// The class labels of classifiers, which several messages contain in the same form.
enum ClassLabels {
  static func tensor(strings: Specification.StringVector?, int64s: Specification.Int64Vector?) throws -> Tensor {
    guard let labels = try optional(strings: strings, int64s: int64s) else {
      throw RuntimeError(.invalidModel, "the classifier has no class labels")
    }
    return labels
  }

  /// Returns nil if there are no labels.
  static func optional(strings: Specification.StringVector?, int64s: Specification.Int64Vector?) throws -> Tensor? {
    if let strings {
      let labels = try strings.vector
      return Tensor(strings: labels, shape: [labels.count])
    }
    if let int64s {
      let labels = try int64s.vector
      return Tensor(int64: labels, shape: [labels.count])
    }
    return nil
  }
}

extension Binding {
  static func double(_ value: Double) -> Binding { .tensor(Tensor(float64: [value], shape: [])) }
  static func doubles(_ values: [Double]) -> Binding { .tensor(Tensor(float64: values, shape: [values.count])) }
}
