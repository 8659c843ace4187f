import CKernels
import Foundation
import MIL

/// Steps of classical models that are not elementwise, row by row, in fp64.
enum ClassicalKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("normalizer.double", for: "ml.normalizer") { problem in
      try problem.requireScalar(.float64, of: ["x"])
      let x = try problem.slot("x")
      let sizes = try problem.outputSizes()
      let norm = try problem.invocation.string("norm")
      let isByRow = try problem.invocation.bool("by_row", default: false)
      let count = isByRow ? sizes.last ?? 1 : sizes.reduce(1, *)
      let rows = isByRow ? sizes.dropLast().reduce(1, *) : 1
      return .cpu(efficiency: 0.05, inPlace: [x]) { frame in
        let (source, target) = (frame.input(x, as: Double.self), frame.output(0, as: Double.self))
        for row in 0..<rows { Doubles.normalize(source + row * count, target + row * count, count, norm) }
      }
    },
    KernelImplementation("one_hot_encoder.integers", for: "ml.one_hot_encoder") { problem in
      try problem.requireScalar(.int64, of: ["x"])
      let x = try problem.slot("x")
      let count = try problem.sizes("x").reduce(1, *)
      let ignores = try problem.invocation.bool("ignores_unknown", default: false)
      let label = problem.invocation.operation.label
      let categories = try problem.constant("categories").ints()
      let places = Dictionary(
        categories.enumerated().map { (Int64($1), $0) }, uniquingKeysWith: { first, _ in first })
      return .cpu(efficiency: 0.05) { frame in
        let (source, target) = (frame.input(x, as: Int64.self), frame.output(0, as: Double.self))
        target.update(repeating: 0, count: count * categories.count)
        for row in 0..<count {
          if let place = places[source[row]] {
            target[row * categories.count + place] = 1
          } else if !ignores {
            throw KernelError(.invalidInput, "\(label): \(source[row]) is none of the categories")
          }
        }
      }
    },
    KernelImplementation("imputer.double", for: "ml.imputer") { problem in
      try problem.requireScalar(.float64, of: ["x", "imputed"])
      guard !problem.has("keys") else { throw Refusal("a dictionary") }
      let (x, imputed) = (try problem.slot("x"), try problem.slot("imputed"))
      let count = try problem.outputSizes().reduce(1, *)
      let step = try problem.sizes("imputed").reduce(1, *) == 1 ? 0 : 1
      let missing = problem.has("missing") ? try problem.constant("missing").doubles().first ?? .nan : .nan
      let isNone = missing.isNaN
      return .cpu(efficiency: 0.05, inPlace: [x]) { frame in
        let (source, target) = (frame.input(x, as: Double.self), frame.output(0, as: Double.self))
        let others = frame.input(imputed, as: Double.self)
        for index in 0..<count {
          let number = source[index]
          target[index] = (isNone ? number.isNaN : number == missing) ? others[index * step] : number
        }
      }
    },
    KernelImplementation("nearest_samples.double", for: "ml.nearest_samples") { try NearestSamples($0).candidate },
    KernelImplementation("support_vectors.double", for: "ml.support_vector_kernel") {
      try SupportVectors($0).candidate
    },
    KernelImplementation("one_versus_one.double", for: "ml.one_versus_one") { problem in
      let (kernel, coefficients, rho) = (
        try problem.slot("kernel"), try problem.slot("coefficients"), try problem.slot("rho")
      )
      let counts = try problem.constant("counts").ints()
      let sizes = try problem.sizes("kernel")
      let (rows, vectors) = (sizes.dropLast().reduce(1, *), sizes.last ?? 0)
      guard counts.allSatisfy({ $0 >= 0 && $0 <= vectors }), counts.reduce(0, +) == vectors else {
        throw Refusal("'counts' do not add up to the support vectors")
      }
      let pairs = counts.count * (counts.count - 1) / 2
      return .cpu(efficiency: 0.05) { frame in
        let weights = frame.input(coefficients, as: Double.self)
        for row in 0..<rows {
          Doubles.oneVersusOne(
            frame.input(kernel, as: Double.self) + row * vectors, weights, frame.input(rho), counts, vectors,
            frame.output(0, as: Double.self) + row * pairs)
        }
      }
    },
    KernelImplementation("pair_votes.double", for: "ml.pair_votes") { problem in
      let decisions = try problem.slot("decisions")
      let sizes = try problem.outputSizes()
      let (rows, classes) = (sizes.dropLast().reduce(1, *), sizes.last ?? 0)
      let pairs = classes * (classes - 1) / 2
      return .cpu(efficiency: 0.05) { frame in
        for row in 0..<rows {
          let source = frame.input(decisions, as: Double.self) + row * pairs
          let votes = frame.output(0, as: Double.self) + row * classes
          votes.update(repeating: 0, count: classes)
          var pair = 0
          for i in 0..<classes {
            for j in (i + 1)..<max(classes, i + 1) {
              votes[source[pair] > 0 ? i : j] += 1
              pair += 1
            }
          }
        }
      }
    },
  ]
}

/// The kernel function of rows with support vectors. Sparse vectors are made dense if they are small enough.
private struct SupportVectors {
  private enum Function { case linear, rbf, poly, sigmoid }

  let candidate: Candidate

  private static let mostNumbers = 1 << 22

  init(_ problem: KernelProblem) throws {
    let sizes = try problem.sizes("x")
    let (rows, depth) = (sizes.dropLast().reduce(1, *), sizes.last ?? 0)
    let count = try problem.outputSizes().last ?? 0
    let function: Function
    switch try problem.invocation.string("kernel") {
    case "rbf": function = .rbf
    case "poly": function = .poly
    case "sigmoid": function = .sigmoid
    default: function = .linear
    }
    let gamma = try problem.invocation.double("gamma", default: 0)
    let coef0 = try problem.invocation.double("coef0", default: 0)
    let degree = try problem.invocation.double("degree", default: 0)
    let x = try problem.slot("x")
    @Sendable func run(_ frame: CPUFrame, _ vectors: UnsafePointer<Double>) {
      let (source, target) = (frame.input(x, as: Double.self), frame.output(0, as: Double.self))
      if function == .rbf {
        ck_distances_f64(source, vectors, target, rows, count, depth)
      } else {
        ck_linear_f64(source, vectors, nil, target, rows, count, depth)
      }
      switch function {
      case .linear: break
      case .rbf: for index in 0..<rows * count { target[index] = exp(-gamma * target[index]) }
      case .poly: for index in 0..<rows * count { target[index] = pow(gamma * target[index] + coef0, degree) }
      case .sigmoid: for index in 0..<rows * count { target[index] = tanh(gamma * target[index] + coef0) }
      }
    }
    if problem.has("vectors") {
      try problem.requireScalar(.float64, of: ["vectors"])
      let vectors = try problem.slot("vectors")
      candidate = .cpu(efficiency: 0.1) { run($0, $0.input(vectors)) }
      return
    }
    let dense = try Self.dense(problem, count, depth)
    candidate = Candidate(efficiency: 0.1) {
      .cpu { frame in
        withExtendedLifetime(dense) { run(frame, dense.storage.pointer.assumingMemoryBound(to: Double.self)) }
      }
    }
  }

  /// Sparse vectors as dense rows. Invalid tables are refused, and the reference reports the error.
  private static func dense(_ problem: KernelProblem, _ count: Int, _ depth: Int) throws -> Tensor {
    guard count > 0, depth > 0, count.multipliedReportingOverflow(by: depth).partialValue <= mostNumbers,
      !count.multipliedReportingOverflow(by: depth).overflow
    else { throw Refusal("\(count) sparse vectors of \(depth) numbers are not made dense") }
    let begins = try problem.constant("row_begin").ints()
    let columns = try problem.constant("columns").ints()
    let values = try problem.constant("values").doubles()
    guard begins.first == 0, begins.last == columns.count, begins.count == count + 1, values.count == columns.count,
      zip(begins, begins.dropFirst()).allSatisfy({ $0 <= $1 }), columns.allSatisfy({ $0 >= 0 && $0 < depth })
    else { throw Refusal("the sparse vectors reach beyond their entries or features") }
    var dense = Array(repeating: 0.0, count: count * depth)
    for row in 0..<count {
      for entry in begins[row]..<begins[row + 1] { dense[row * depth + columns[entry]] = values[entry] }
    }
    return Tensor(float64: dense, shape: [count, depth])
  }
}

extension Doubles {
  static func normalize(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, _ count: Int, _ norm: String
  ) {
    var total = 0.0
    switch norm {
    case "max": for i in 0..<count { total = max(total, abs(x[i])) }
    case "l1": for i in 0..<count { total += abs(x[i]) }
    default:
      for i in 0..<count { total += x[i] * x[i] }
      total = total.squareRoot()
    }
    for i in 0..<count { y[i] = total == 0 ? x[i] : x[i] / total }
  }

  static func oneVersusOne(
    _ kernel: UnsafePointer<Double>, _ coefficients: UnsafePointer<Double>, _ rho: UnsafePointer<Double>,
    _ counts: [Int], _ vectors: Int, _ decisions: UnsafeMutablePointer<Double>
  ) {
    var (pair, first) = (0, 0)
    for i in counts.indices {
      var second = first + counts[i]
      for j in (i + 1)..<max(counts.count, i + 1) {
        var sum = -rho[pair]
        for vector in first..<(first + counts[i]) { sum += coefficients[(j - 1) * vectors + vector] * kernel[vector] }
        for vector in second..<(second + counts[j]) { sum += coefficients[i * vectors + vector] * kernel[vector] }
        decisions[pair] = sum
        pair += 1
        second += counts[j]
      }
      first += counts[i]
    }
  }
}
