import CKernels
import Foundation
import MIL

/// Operations of classical models, which use fp64, mostly on a row of a few elements. The fixed cost of a call
/// dominates. The result of a row does not depend on the other rows.
enum DoubleKernels {
  static let all: [KernelImplementation] =
    unaryDoubles.map { name, function in
      KernelImplementation("\(name).double", for: name) { problem in
        try problem.requireScalar(.float64, of: ["x"])
        let x = try problem.slot("x")
        let count = try problem.outputSizes().reduce(1, *)
        return .cpu(efficiency: 0.05, inPlace: [x]) { frame in
          function(frame.input(x), frame.output(), count)
        }
      }
    }
    + binaryDoubles.map { name, function in
      KernelImplementation("\(name).double", for: name) { problem in
        try problem.requireScalar(.float64, of: ["x", "y"])
        return try BroadcastOperands(problem, ["x", "y"]).candidate { part in
          DoubleWalk(rank: part.rank, shape: part.shape, part.strides[0], part.strides[1]).run(
            part.input(0), part.input(1), part.output(), function)
        }
      }
    } + [
      KernelImplementation("linear.double", for: "linear") { problem in
        try problem.requireScalar(.float64, of: ["x", "weight", "bias"])
        let (x, weight, bias) = (try problem.slot("x"), try problem.slot("weight"), problem.optionalSlot("bias"))
        guard try problem.invocation.bool("transpose_weight", default: true) else { throw Refusal("weights by depth") }
        let sizes = try problem.sizes("weight")
        let rows = try problem.sizes("x").dropLast().reduce(1, *)
        return .cpu(efficiency: 0.1) { frame in
          ck_linear_f64(
            frame.input(x), frame.input(weight), frame.input(optional: bias), frame.output(), rows, sizes[0], sizes[1])
        }
      },
      KernelImplementation("softmax.double", for: "softmax") { problem in
        try problem.requireScalar(.float64, of: ["x"])
        let lines = try AxisLines(problem, "axis", default: -1)
        guard lines.inner == 1, lines.count > 0 else { throw Refusal("an axis that is not the last") }
        let x = try problem.slot("x")
        return .cpu(efficiency: 0.05, inPlace: [x]) { frame in
          let (source, target) = (frame.input(x, as: Double.self), frame.output(0, as: Double.self))
          for line in 0..<lines.outer {
            Doubles.softmax(source + line * lines.count, target + line * lines.count, lines.count)
          }
        }
      },
      KernelImplementation("reduce_sum.double", for: "reduce_sum") { problem in
        try problem.requireScalar(.float64, of: ["x"])
        let x = try problem.slot("x")
        let sizes = try problem.sizes("x")
        let axes = try problem.invocation.axes("axes", default: Array(sizes.indices), rank: sizes.count).sorted()
        guard axes == Array(sizes.indices.suffix(axes.count)) else { throw Refusal("axes that are not the last") }
        let (rows, count) = (sizes.dropLast(axes.count).reduce(1, *), sizes.suffix(axes.count).reduce(1, *))
        return .cpu(efficiency: 0.05) { frame in
          let (source, target) = (frame.input(x, as: Double.self), frame.output(0, as: Double.self))
          for row in 0..<rows { target[row] = Doubles.sum(source + row * count, count) }
        }
      },
    ]

  typealias UnaryDouble = @Sendable (UnsafePointer<Double>, UnsafeMutablePointer<Double>, Int) -> Void

  private static let unaryDoubles: [(String, UnaryDouble)] = [
    ("sigmoid", { x, y, n in for i in 0..<n { y[i] = Doubles.sigmoid(x[i]) } }),
    ("exp", { x, y, n in for i in 0..<n { y[i] = exp(x[i]) } }),
    ("erf", { x, y, n in for i in 0..<n { y[i] = erf(x[i]) } }),
    ("tanh", { x, y, n in for i in 0..<n { y[i] = tanh(x[i]) } }),
    ("sqrt", { x, y, n in for i in 0..<n { y[i] = x[i].squareRoot() } }),
    ("square", { x, y, n in for i in 0..<n { y[i] = x[i] * x[i] } }),
  ]

  private static let binaryDoubles: [(String, DoubleWalk.Function)] = [
    ("add", .add), ("sub", .subtract), ("mul", .multiply), ("real_div", .divide),
  ]
}

/// Two broadcast operands, processed line by line.
struct DoubleWalk {
  enum Function: Sendable { case add, subtract, multiply, divide }

  let rank: Int
  let shape: UnsafePointer<Int>
  let first: UnsafePointer<Int>
  let second: UnsafePointer<Int>

  init(rank: Int, shape: UnsafePointer<Int>, _ first: UnsafePointer<Int>, _ second: UnsafePointer<Int>) {
    (self.rank, self.shape, self.first, self.second) = (rank, shape, first, second)
  }

  func run(
    _ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>, _ out: UnsafeMutablePointer<Double>, _ function: Function
  ) {
    let count = rank == 0 ? 1 : shape[rank - 1]
    guard rank > 1 else {
      return line(a, rank == 0 ? 0 : first[0], b, rank == 0 ? 0 : second[0], out, count, function)
    }
    var lines = 1
    for axis in 0..<(rank - 1) { lines *= shape[axis] }
    for number in 0..<lines {
      var (rest, left, right) = (number, 0, 0)
      for axis in stride(from: rank - 2, through: 0, by: -1) {
        let index = rest % shape[axis]
        rest /= shape[axis]
        left += index * first[axis]
        right += index * second[axis]
      }
      line(a + left, first[rank - 1], b + right, second[rank - 1], out + number * count, count, function)
    }
  }

  private func line(
    _ a: UnsafePointer<Double>, _ stepA: Int, _ b: UnsafePointer<Double>, _ stepB: Int,
    _ out: UnsafeMutablePointer<Double>, _ count: Int, _ function: Function
  ) {
    switch function {
    case .add: for i in 0..<count { out[i] = a[i * stepA] + b[i * stepB] }
    case .subtract: for i in 0..<count { out[i] = a[i * stepA] - b[i * stepB] }
    case .multiply: for i in 0..<count { out[i] = a[i * stepA] * b[i * stepB] }
    case .divide: for i in 0..<count { out[i] = a[i * stepA] / b[i * stepB] }
    }
  }
}

/// fp64 functions that match the references.
enum Doubles {
  static func sigmoid(_ x: Double) -> Double {
    1 / (1 + exp(-x))
  }

  static func softmax(_ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, _ count: Int) {
    var top = x[0]
    for i in 1..<max(count, 1) where x[i] > top { top = x[i] }
    var sum = 0.0
    for i in 0..<count {
      y[i] = exp(x[i] - top)
      sum += y[i]
    }
    for i in 0..<count { y[i] /= sum }
  }

  static func sum(_ x: UnsafePointer<Double>, _ count: Int) -> Double {
    var sum = 0.0
    for i in 0..<count { sum += x[i] }
    return sum
  }
}
