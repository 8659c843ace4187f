import Foundation
import MIL

enum SupportVectorsReference {
  static let all: [Reference] = [
    Reference.numeric("ml.support_vector_kernel") { call in
      let kernel = try SupportVectorKernel(call)
      let width = try call.sizes("x").last ?? 0
      if call.has("vectors") {
        let vectors = try call.doubles("vectors")
        let count = try call.sizes("vectors")[0]
        return try call.byRow("x") { x in
          (0..<count).map { row in kernel(x, Array(vectors[row * width..<(row + 1) * width])) }
        }
      }
      let begins = try call.invocation.ints("row_begin")
      let columns = try call.invocation.ints("columns")
      let values = try call.doubles("values")
      guard begins.first == 0, begins.last == columns.count,
        zip(begins, begins.dropFirst()).allSatisfy({ $0 <= $1 }),
        columns.allSatisfy({ $0 >= 0 && $0 < width })
      else {
        throw call.invocation.error(
          .invalidArgument, "the sparse vectors reach beyond their \(values.count) entries or \(width) features")
      }
      return try call.byRow("x") { x in
        zip(begins, begins.dropFirst()).map { begin, end in
          var vector = Array(repeating: 0.0, count: width)
          for entry in begin..<end { vector[columns[entry]] = values[entry] }
          return kernel(x, vector)
        }
      }
    },
    Reference.numeric("ml.one_versus_one") { call in
      let vectors = try call.sizes("kernel").last ?? 0
      let coefficients = try call.doubles("coefficients")
      let counts = try call.invocation.ints("counts")
      var starts = [0]
      for count in counts {
        guard count >= 0, count <= vectors else {
          throw call.invocation.error(.invalidArgument, "a class has \(count) of \(vectors) support vectors")
        }
        starts.append(starts[starts.count - 1] + count)
      }
      guard starts.last == vectors else {
        throw call.invocation.error(
          .invalidArgument, "'counts' add up to \(starts.last ?? 0), there are \(vectors) support vectors")
      }
      let rho = try call.doubles("rho")
      return try call.byRow("kernel") { kernel in
        var decisions = rho.map { -$0 }
        var pair = 0
        for i in counts.indices {
          for j in (i + 1)..<max(counts.count, i + 1) {
            for vector in starts[i]..<starts[i + 1] {
              decisions[pair] += coefficients[(j - 1) * kernel.count + vector] * kernel[vector]
            }
            for vector in starts[j]..<starts[j + 1] {
              decisions[pair] += coefficients[i * kernel.count + vector] * kernel[vector]
            }
            pair += 1
          }
        }
        return decisions
      }
    },
    Reference.numeric("ml.pair_votes") { call in
      let classes = try call.outputSizes().last ?? 0
      return try call.byRow("decisions") { decisions in
        var votes = Array(repeating: 0.0, count: classes)
        var pair = 0
        for i in 0..<classes {
          for j in (i + 1)..<max(classes, i + 1) {
            votes[decisions[pair] > 0 ? i : j] += 1
            pair += 1
          }
        }
        return votes
      }
    },
    Reference.numeric("ml.pairwise_coupling") { call in
      let (a, b) = (try call.doubles("prob_a"), try call.doubles("prob_b"))
      let classes = try call.outputSizes().last ?? 0
      return try call.byRow("decisions") { decisions in
        var pairs = Array(repeating: Array(repeating: 0.0, count: classes), count: classes)
        var pair = 0
        for i in 0..<classes {
          for j in (i + 1)..<max(classes, i + 1) {
            let exponent = decisions[pair] * a[pair] + b[pair]
            let probability =
              exponent >= 0 ? exp(-exponent) / (1 + exp(-exponent)) : 1 / (1 + exp(exponent))
            pairs[i][j] = min(max(probability, 1e-7), 1 - 1e-7)
            pairs[j][i] = 1 - pairs[i][j]
            pair += 1
          }
        }
        // Two classes have a single pair, whose probabilities are the result.
        return classes == 2 ? [pairs[0][1], pairs[1][0]] : coupled(pairs)
      }
    },
  ]

  /// The probabilities p that minimize p^T Q p, computed as in libsvm. The result depends on its iteration limits, so
  /// they are the same.
  private static func coupled(_ r: [[Double]]) -> [Double] {
    let count = r.count
    let limit = 0.005 / Double(count)
    var p = Array(repeating: 1 / Double(count), count: count)
    var q = Array(repeating: Array(repeating: 0.0, count: count), count: count)
    for t in 0..<count {
      for j in 0..<count where j != t {
        q[t][t] += r[j][t] * r[j][t]
        q[t][j] = -r[j][t] * r[t][j]
      }
    }
    for _ in 0..<max(100, count) {
      var qp = q.map { row in zip(row, p).reduce(0) { $0 + $1.0 * $1.1 } }
      var pqp = zip(p, qp).reduce(0) { $0 + $1.0 * $1.1 }
      guard qp.contains(where: { !(abs($0 - pqp) < limit) }) else { break }
      for t in 0..<count {
        let step = (pqp - qp[t]) / q[t][t]
        p[t] += step
        pqp = (pqp + step * (step * q[t][t] + 2 * qp[t])) / (1 + step) / (1 + step)
        for j in 0..<count {
          qp[j] = (qp[j] + step * q[t][j]) / (1 + step)
          p[j] /= 1 + step
        }
      }
    }
    return p
  }
}

/// The kernel functions of SVM.proto.
private struct SupportVectorKernel {
  private let function: String
  private let gamma: Double
  private let coef0: Double
  private let degree: Double

  init(_ call: ReferenceCall) throws {
    function = try call.invocation.string("kernel")
    gamma = try call.invocation.double("gamma", default: 0)
    coef0 = try call.invocation.double("coef0", default: 0)
    degree = try call.invocation.double("degree", default: 0)
  }

  func callAsFunction(_ x: [Double], _ y: [Double]) -> Double {
    if function == "rbf" { return exp(-gamma * zip(x, y).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }) }
    let product = zip(x, y).reduce(0) { $0 + $1.0 * $1.1 }
    switch function {
    case "poly": return pow(gamma * product + coef0, degree)
    case "sigmoid": return tanh(gamma * product + coef0)
    default: return product
    }
  }
}
