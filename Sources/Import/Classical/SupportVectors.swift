import CoreMLSpec
import MIL

struct SupportVectorImport {
  let program: FeatureProgram

  func regressor(_ message: Specification.SupportVectorRegressor) throws {
    let kernel = try supportVectorKernel(
      message.kernel, dense: message.denseSupportVectors, sparse: message.sparseSupportVectors)
    let alpha = try message.coefficients?.alpha ?? []
    try require(program.length(kernel) == alpha.count, "it has \(alpha.count) coefficients for its support vectors")
    try program.setPrediction(
      program.emit(
        "linear",
        [
          "x": .name(kernel), "weight": .tensor(Tensor(float64: alpha, shape: [1, alpha.count])),
          "bias": .doubles([-(message.rho)]),
        ]))
  }

  /// With `probA` and `probB` the classifier predicts the most probable class, otherwise the class that wins the most
  /// pairwise comparisons.
  func classifier(_ message: Specification.SupportVectorClassifier) throws {
    let labels = try ClassLabels.tensor(strings: message.stringClassLabels, int64s: message.int64ClassLabels)
    let kernel = try supportVectorKernel(
      message.kernel, dense: message.denseSupportVectors, sparse: message.sparseSupportVectors)
    let vectors = try program.length(kernel) ?? 0
    let counts = try message.numberOfSupportVectorsPerClass.map { Int($0) }
    let rows = try message.coefficients.map { try $0.alpha }
    let pairs = labels.count * (labels.count - 1) / 2
    try require(labels.count >= 2 && labels.count < 1 << 16, "it has \(labels.count) classes")
    try require(
      counts.count == labels.count && counts.allSatisfy { $0 >= 0 } && counts.reduce(0, +) == vectors,
      "it has \(vectors) support vectors, and \(counts.prefix(8)) for its \(labels.count) classes")
    try require(
      rows.count == labels.count - 1 && rows.allSatisfy { $0.count == vectors },
      "it has \(rows.count) rows of coefficients for \(vectors) support vectors and \(labels.count) classes")
    let (rho, probA, probB) = (try message.rho, try message.probA, try message.probB)
    try require(
      rho.count == pairs && probA.count == probB.count && (probA.isEmpty || probA.count == pairs),
      "it has \(rho.count) rho, \(probA.count) probA and \(probB.count) probB for \(pairs) pairs of classes")
    let decisions = try program.emit(
      "ml.one_versus_one",
      [
        "kernel": .name(kernel), "counts": .ints(counts), "rho": .doubles(rho),
        "coefficients": .tensor(Tensor(float64: rows.flatMap { $0 }, shape: [rows.count, vectors])),
      ])
    if !probA.isEmpty {
      let arguments: [String: Binding] = [
        "decisions": .name(decisions), "prob_a": .doubles(probA), "prob_b": .doubles(probB),
        "classes": .int(labels.count),
      ]
      return try program.setClasses(program.emit("ml.pairwise_coupling", arguments), labels: labels)
    }
    try require(
      program.description.predictedProbabilitiesName.isEmpty,
      "it promises probabilities, for which it lacks probA and probB")
    let votes = try program.emit("ml.pair_votes", ["decisions": .name(decisions), "classes": .int(labels.count)])
    try program.setClasses(votes, labels: labels)
  }

  private func require(_ isSound: Bool, _ sentence: @autoclosure () -> String) throws {
    guard isSound else { throw program.error(sentence()) }
  }

  /// Applies the kernel function to the input and each support vector.
  private func supportVectorKernel(
    _ kernel: Specification.Kernel?, dense: Specification.DenseSupportVectors?,
    sparse: Specification.SparseSupportVectors?
  ) throws -> String {
    let x = try program.vector()
    var arguments: [String: Binding] = ["x": .name(x)]
    switch try kernel?.kernel {
    case .linearKernel: arguments["kernel"] = .string("linear")
    case .rbfKernel(let rbf):
      arguments["kernel"] = .string("rbf")
      arguments["gamma"] = .double(try rbf.gamma)
    case .polyKernel(let poly):
      arguments["kernel"] = .string("poly")
      arguments["gamma"] = .double(try poly.gamma)
      arguments["coef0"] = .double(try poly.c)
      arguments["degree"] = .int(Int(try poly.degree))
    case .sigmoidKernel(let sigmoid):
      arguments["kernel"] = .string("sigmoid")
      arguments["gamma"] = .double(try sigmoid.gamma)
      arguments["coef0"] = .double(try sigmoid.c)
    case nil: throw program.error("it has no kernel")
    }
    if let dense {
      arguments["vectors"] = try vectors(dense, features: program.length(x))
    } else if let sparse {
      arguments.merge(try vectors(sparse, features: program.length(x))) { $1 }
    } else {
      throw program.error("it has no support vectors")
    }
    return try program.emit("ml.support_vector_kernel", arguments)
  }

  private func vectors(_ message: Specification.DenseSupportVectors, features: Int?) throws -> Binding {
    let rows = try message.vectors.map { try $0.values }
    let width = features ?? rows.first?.count ?? 0
    if let odd = rows.first(where: { $0.count != width }) {
      throw program.error("a support vector has \(odd.count) values, expected \(width)")
    }
    // Without any support vectors the width is that of the input, which a description can make arbitrarily large.
    guard TensorType.elementCount([rows.count, width]) != nil else {
      throw program.error("\(rows.count) support vectors of \(width) values have no shape")
    }
    return .tensor(Tensor(float64: rows.flatMap { $0 }, shape: [rows.count, width]))
  }

  /// Indices of sparse vectors start at 1.
  private func vectors(
    _ message: Specification.SparseSupportVectors, features: Int?
  ) throws -> [String: Binding] {
    var (begins, columns, values): ([Int], [Int], [Double]) = ([0], [], [])
    for vector in try message.vectors {
      for node in try vector.nodes {
        let column = Int(try node.index) - 1
        guard column >= 0, column < features ?? Int.max else {
          throw program.error("a support vector has the index \(column + 1), expected 1 to \(features ?? Int.max)")
        }
        columns.append(column)
        values.append(try node.value)
      }
      begins.append(columns.count)
    }
    return ["row_begin": .ints(begins), "columns": .ints(columns), "values": .doubles(values)]
  }
}
