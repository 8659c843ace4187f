import CoreMLKernels
import MIL

/// Pooling. Max pooling passes the gradient of a window to its largest element, the others to all elements.
enum PoolingGradients {
  static let rules: [GradientRule] = [
    GradientRule("max_pool") { call in
      try call.give("x") { try spread(call, "train.max_pool", call.gradient) }
    },
    // The gradient of each window, divided by the divisor of its average, goes to all elements of the window.
    GradientRule("avg_pool") { call in
      let e = call.emit
      try call.give("x") {
        let geometry = try Pooling.geometry(call.invocation)
        let divisors = try averageDivisors(call, geometry)
        let shape = [1, 1] + Array(geometry.output[(3 - geometry.spatialRank)...])
        let factors = try e.tensor(divisors.map { 1 / $0 }, shape: shape, like: call.x)
        return try spread(call, "train.pool_sum", e.mul(call.gradient, factors))
      }
    },
    // y = sqrt(sum of squares), so dx = x times the sum of dy / y over the windows that contain x.
    GradientRule("l2_pool") { call in
      let e = call.emit
      try call.give("x") {
        let ratio = try e.keep(e.div(call.gradient, call.y), where: e.compare("greater", call.y, 0))
        return try e.mul(call.x, spread(call, "train.pool_sum", ratio))
      }
    },
  ]

  private static func spread(_ call: GradientCall, _ type: String, _ gradient: Binding) throws -> Binding {
    var arguments: [String: Binding] = ["x": try call.x, "gradient": gradient]
    for name in ["kernel_sizes", "strides", "pad_type", "pad", "ceil_mode"] where call.has(name) {
      arguments[name] = try call.argument(name)
    }
    return try call.emit(type, arguments)
  }

  /// The divisor of each window's average: the number of elements in the window divided by the average of ones.
  private static func averageDivisors(_ call: GradientCall, _ geometry: WindowGeometry) throws -> [Double] {
    let axes = (3 - geometry.spatialRank)..<3
    let shape = [1, 1] + Array(geometry.input[axes])
    let ones = Tensor(float64: Array(repeating: 1, count: shape.reduce(1, *)), shape: shape)
    var operation = call.operation
    operation.inputs["x"] = [.tensor(ones)]
    let averages = try References.evaluate(call.emit.invocation(operation)).first?.tensor?.doubles() ?? []
    var counts = [1.0]
    for axis in axes {
      counts = counts.flatMap { outer in
        (0..<geometry.output[axis]).map { o in
          let start = o * geometry.strides[axis] - geometry.padBefore[axis]
          let covered = min(start + geometry.kernel[axis], geometry.input[axis]) - max(start, 0)
          return outer * Double(max(covered, 0))
        }
      }
    }
    return zip(counts, averages).map { $1 == 0 ? 1 : $0 / $1 }
  }
}
