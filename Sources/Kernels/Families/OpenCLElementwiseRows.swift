import MIL

extension KernelTable {
  /// Generic OpenCL rows that work element by element or along an axis.
  static let openCLElementwiseRows: [Row] =
    unaryNames.map { name in
      Row("\(name).opencl", for: name, on: .openCL) { site in
        try site.requireScalar(.float32, of: ["x"])
        let context = try site.requireOpenCL()
        let function = try openCLFunction(name, site)
        let count = try site.outputSizes().reduce(1, *)
        let x = try site.slot("x")
        return Offer(efficiency: 0.1) {
          let launch = try CLUnary(context, function, count: count)
          return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
        }
      }
    }
    + binaryNames.map { name in
      Row("\(name).opencl", for: name, on: .openCL) { site in
        try site.requireScalar(.float32, of: ["x", "y"])
        let context = try site.requireOpenCL()
        let (a, b, c) = (try site.sizes("x"), try site.sizes("y"), try site.outputSizes())
        let (x, y) = (try site.slot("x"), try site.slot("y"))
        guard !c.contains(0) else { throw Refusal("an empty tensor") }
        return Offer(efficiency: 0.1) {
          let launch = try CLBinary(context, name, of: .float, x: a, y: b, output: c)
          return .openCL { frame in
            try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.inputs[y], z: frame.outputs[0])
          }
        }
      }
    } + [
      Row("softmax.opencl", for: "softmax", on: .openCL) { site in
        try site.requireScalar(.float32, of: ["x"])
        let context = try site.requireOpenCL()
        let line = try Line(site, "axis", default: -1)
        let x = try site.slot("x")
        return Offer(efficiency: 0.1) {
          let launch = try CLSoftmax(context, outer: line.outer, axis: line.count, inner: line.inner)
          return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
        }
      },
      Row("reduce.opencl", for: CLReduce.Kind.allCases.map { "reduce_\($0.rawValue)" }, on: .openCL) { site in
        try site.requireScalar(.float32, of: ["x"])
        let context = try site.requireOpenCL()
        let sizes = try site.sizes("x")
        let axes = try site.invocation.axes("axes", default: Array(sizes.indices), rank: sizes.count).sorted()
        guard let first = axes.first, let last = axes.last, axes == Array(first...last),
          let kind = CLReduce.Kind(rawValue: String(site.operation.dropFirst(7)))
        else { throw Refusal("the axes \(axes) are not neighbours") }
        let x = try site.slot("x")
        let (outer, count) = (sizes[..<first].reduce(1, *), sizes[first...last].reduce(1, *))
        let inner = sizes[(last + 1)...].reduce(1, *)
        return Offer(efficiency: 0.1) {
          let launch = try CLReduce(context, kind, outer: outer, axis: count, inner: inner)
          return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
        }
      },
      Row("norm.opencl", for: ["layer_norm", "instance_norm", "batch_norm", "l2_norm"], on: .openCL) { site in
        try site.requireScalar(.float32, of: ["x", "mean", "variance", "gamma", "beta"])
        let context = try site.requireOpenCL()
        let kind = try openCLNorm(site)
        let epsilon = Float(try site.invocation.double("epsilon", default: site.operation == "l2_norm" ? 1e-6 : 1e-5))
        let x = try site.slot("x")
        let (mean, variance) = (site.optionalSlot("mean"), site.optionalSlot("variance"))
        let (gamma, beta) = (site.optionalSlot("gamma"), site.optionalSlot("beta"))
        return Offer(efficiency: 0.1) {
          let launch = try CLNormalize(context, kind, epsilon: epsilon, hasGamma: gamma != nil, hasBeta: beta != nil)
          return .openCL { frame in
            func memory(_ slot: Int?) -> OpenCLMemory? { slot.map { frame.inputs[$0] } }
            try launch.enqueue(
              on: frame.queue, x: frame.inputs[x], mean: memory(mean), variance: memory(variance), gamma: memory(gamma),
              beta: memory(beta), y: frame.outputs[0])
          }
        }
      },
      Row(
        "reshape.opencl", for: ["reshape", "expand_dims", "squeeze", "flatten2d", "identity", "reshape_like"],
        on: .openCL
      ) { site in
        _ = try site.requireOpenCL()
        let x = try site.slot("x")
        return Offer(efficiency: 1, alias: x, work: Work(flops: 0, bytes: 0)) {
          .openCL { frame in
            let (source, target) = (frame.inputs[x], frame.outputs[0])
            if source.buffer !== target.buffer || source.byteOffset != target.byteOffset {
              try frame.queue.copy(source, to: target)
            }
          }
        }
      },
      Row("transpose.opencl", for: "transpose", on: .openCL) { site in
        let context = try site.requireOpenCL()
        let sizes = try site.sizes("x")
        let perm = try site.invocation.axes("perm", rank: sizes.count)
        let size = site.outputs[0].scalar.bitWidth / 8
        guard !sizes.contains(0), [1, 2, 4].contains(size) else { throw Refusal("elements of \(size) bytes") }
        let x = try site.slot("x")
        return Offer(efficiency: 0.1) {
          let launch = try CLMove.transpose(context, elementSize: size, shape: sizes, permutation: perm)
          return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
        }
      },
      Row("concat.opencl", for: "concat", on: .openCL) { site in
        let context = try site.requireOpenCL()
        if try site.invocation.bool("interleave", default: false) { throw Refusal("interleaved parts") }
        let output = try site.outputSizes()
        let size = site.outputs[0].scalar.bitWidth / 8
        guard !output.contains(0), [1, 2, 4].contains(size) else { throw Refusal("elements of \(size) bytes") }
        let axis = try site.invocation.axis("axis", rank: output.count)
        let slots = site.slots("values")
        // Scalars are joined to a vector.
        let parts = try slots.indices.map { try site.sizes("values", $0) }.map { $0.isEmpty ? [1] : $0 }
        guard parts.allSatisfy({ $0.count == output.count }) else { throw Refusal("parts of unequal ranks") }
        return Offer(efficiency: 0.1) {
          var begin = Array(repeating: 0, count: output.count)
          var launches: [(slot: Int, move: CLMove)] = []
          for (slot, part) in zip(slots, parts) where part[axis] > 0 {
            launches.append((slot, try CLMove.place(context, elementSize: size, sizes: part, in: output, begin: begin)))
            begin[axis] += part[axis]
          }
          let moves = launches
          return .openCL { frame in
            for (slot, move) in moves { try move.enqueue(on: frame.queue, x: frame.inputs[slot], y: frame.outputs[0]) }
          }
        }
      },
    ]

  private static let binaryNames = ["add", "sub", "mul", "real_div", "maximum", "minimum", "pow"]
  private static let unaryNames = [
    "relu", "relu6", "leaky_relu", "elu", "sigmoid", "tanh", "exp", "log", "sqrt", "rsqrt", "erf", "gelu", "silu",
    "softplus", "softsign", "sigmoid_hard", "clip", "abs", "square", "inverse", "floor", "ceil", "round", "sign", "sin",
    "cos",
  ]

  /// The device's function for an operation, with its parameters and their defaults.
  private static func openCLFunction(_ name: String, _ site: Site) throws -> CLFunction {
    let call = site.invocation
    func parameter(_ name: String, _ fallback: Double) throws -> Float {
      Float(try call.double(name, default: fallback))
    }
    return try openCLChecked {
      switch name {
      case "gelu":
        switch try FusedActivation(geluOf: call).name {
        case .geluTanh: try CLFunction("gelu_tanh")
        case .geluSigmoid: try CLFunction("gelu_sigmoid")
        default: try CLFunction("gelu")
        }
      case "leaky_relu": try CLFunction(name, alpha: parameter("alpha", 0.01))
      case "elu": try CLFunction(name, alpha: parameter("alpha", 1))
      case "sigmoid_hard": try CLFunction(name, alpha: parameter("alpha", 0.2), beta: parameter("beta", 0.5))
      case "clip": try CLFunction(name, alpha: parameter("alpha", 0), beta: parameter("beta", 0))
      case "log": try CLFunction(name, alpha: parameter("epsilon", 1e-45))
      case "rsqrt": try CLFunction(name, alpha: parameter("epsilon", 1e-12))
      case "inverse": try CLFunction(name, alpha: parameter("epsilon", 1e-4))
      default: try CLFunction(name)
      }
    }
  }

  private static func openCLNorm(_ site: Site) throws -> CLNormalize.Kind {
    let sizes = try site.sizes("x")
    guard !sizes.contains(0) else { throw Refusal("an empty tensor") }
    switch site.operation {
    case "layer_norm":
      let axes = try site.invocation.axes("axes", default: Array(sizes.indices), rank: sizes.count).sorted()
      guard axes == Array((sizes.count - axes.count)..<sizes.count), let first = axes.first else {
        throw Refusal("the axes \(axes) are not the last ones")
      }
      return .layer(rows: sizes[..<first].reduce(1, *), count: sizes[first...].reduce(1, *))
    case "l2_norm": return .l2(rows: sizes.dropLast(3).reduce(1, *), count: sizes.suffix(3).reduce(1, *))
    case "instance_norm":
      return .instance(images: sizes[0], channels: sizes[1], count: sizes[2...].reduce(1, *))
    default: return .batch(images: sizes[0], channels: sizes[1], count: sizes[2...].reduce(1, *))
    }
  }
}
