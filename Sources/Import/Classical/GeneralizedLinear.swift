import CoreMLSpec
import MIL

struct GeneralizedLinearImport {
  let program: FeatureProgram

  /// dot(weights, x) + offset, followed by the transform.
  func regressor(_ message: Specification.GLMRegressor) throws {
    let value = try linear(message.weights.map { try $0.value }, message.offset)
    switch try message.postEvaluationTransform {
    case .noTransform: try program.setPrediction(value)
    case .logit: try program.setPrediction(program.emit("sigmoid", ["x": .name(value)]))
    case .probit: try program.setPrediction(probit(value))
    }
  }

  /// Computes the probabilities of the classes. A single row of weights separates the second class from the first,
  /// whatever the encoding. With several rows, `referenceClass` has one for each class but the first, `oneVsRest` one
  /// for each class.
  func classifier(_ message: Specification.GLMClassifier) throws {
    let labels = try ClassLabels.tensor(strings: message.stringClassLabels, int64s: message.int64ClassLabels)
    let rows = try message.weights.map { try $0.value }
    let value = try linear(rows, message.offset)
    let isProbit = try message.postEvaluationTransform == .probit
    let link = isProbit ? try probit(value) : try program.emit("sigmoid", ["x": .name(value)])
    switch (rows.count, labels.count, try message.classEncoding) {
    case (1, 2, _):
      let other = try program.emit("sub", ["x": .double(1), "y": .name(link)])
      try program.setClasses(program.concat([other, link]), labels: labels)
    case (let rows, let classes, .referenceClass) where rows == classes - 1 && !isProbit:
      let reference = program.builder.constant(.tensor(Tensor(float64: [0], shape: [1])), named: "reference_class")
      try program.setClasses(program.emit("softmax", ["x": .name(program.concat([reference, value]))]), labels: labels)
    case (let rows, let classes, .oneVsRest) where rows == classes:
      let sum = try program.emit("reduce_sum", ["x": .name(link), "keep_dims": .bool(true)])
      try program.setClasses(program.emit("real_div", ["x": .name(link), "y": .name(sum)]), labels: labels)
    default:
      throw program.error(
        "it has \(rows.count) rows of weights and \(labels.count) classes, encoded as \(try message.classEncoding)"
          + (isProbit ? ", with the probit transform" : ""))
    }
  }

  private func linear(_ rows: [[Double]], _ offset: [Double]) throws -> String {
    let x = try program.vector()
    guard let depth = rows.first?.count, rows.allSatisfy({ $0.count == depth }),
      offset.count == rows.count || offset.isEmpty
    else { throw program.error("its \(rows.count) rows of weights and \(offset.count) offsets do not agree") }
    if let count = try program.length(x), count != depth {
      throw program.error("it has \(depth) weights a row for \(count) input features")
    }
    let bias = offset.isEmpty ? Array(repeating: 0, count: rows.count) : offset
    return try program.emit(
      "linear",
      [
        "x": .name(x), "weight": .tensor(Tensor(float64: rows.flatMap { $0 }, shape: [rows.count, depth])),
        "bias": .doubles(bias),
      ])
  }

  /// The standard normal distribution function: (1 + erf(x / sqrt 2)) / 2.
  func probit(_ value: String) throws -> String {
    let scaled = try program.emit("mul", ["x": .name(value), "y": .double(0.5.squareRoot())])
    let sum = try program.emit("add", ["x": .name(program.emit("erf", ["x": .name(scaled)])), "y": .double(1)])
    return try program.emit("mul", ["x": .name(sum), "y": .double(0.5)])
  }
}
