import MIL

/// OpenCL kernels that work along one axis or over adjacent axes.
enum OpenCLReductionKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("softmax.opencl", for: "softmax", on: .openCL, mixesPrecisions: true) { problem in
      let f16 = try problem.openCLF16Operands()
      let context = try problem.requireOpenCL()
      let line = try AxisLines(problem, "axis", default: -1)
      let x = try problem.slot("x")
      return Candidate(efficiency: 0.1) {
        let launch = try CLSoftmax(context, outer: line.outer, axis: line.count, inner: line.inner, f16: f16)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    },
    KernelImplementation(
      "reduce.opencl", for: CLReduce.Kind.allCases.map { "reduce_\($0.rawValue)" }, on: .openCL, mixesPrecisions: true
    ) {
      problem in
      let f16 = try problem.openCLF16Operands()
      let context = try problem.requireOpenCL()
      let sizes = try problem.sizes("x")
      let axes = try problem.invocation.axes("axes", default: Array(sizes.indices), rank: sizes.count).sorted()
      guard let first = axes.first, let last = axes.last, axes == Array(first...last),
        let kind = CLReduce.Kind(rawValue: String(problem.operation.dropFirst(7)))
      else { throw Refusal("the axes \(axes) are not neighbours") }
      let x = try problem.slot("x")
      let (outer, count) = (sizes[..<first].reduce(1, *), sizes[first...last].reduce(1, *))
      let inner = sizes[(last + 1)...].reduce(1, *)
      return Candidate(efficiency: 0.1) {
        let launch = try CLReduce(context, kind, outer: outer, axis: count, inner: inner, f16: f16)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    },
    KernelImplementation("cumsum.opencl", for: "cumsum", on: .openCL, mixesPrecisions: true) { problem in
      let f16 = try problem.openCLF16Operands()
      let context = try problem.requireOpenCL()
      let line = try AxisLines(problem, "axis", default: 0)
      let x = try problem.slot("x")
      let isExclusive = try problem.invocation.bool("exclusive", default: false)
      let isReversed = try problem.invocation.bool("reverse", default: false)
      // One work-item or one work-group computes a whole cumulative sum, so few sums leave most of the device idle.
      let share = CLAlong.share(of: context.device, outer: line.outer, axis: line.count, inner: line.inner)
      return Candidate(efficiency: 0.1 * share) {
        let launch = try CLScan(
          context, outer: line.outer, axis: line.count, inner: line.inner, isExclusive: isExclusive,
          isReversed: isReversed, f16: f16)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    },
    KernelImplementation("arg.opencl", for: ["reduce_argmax", "reduce_argmin"], on: .openCL, mixesPrecisions: true) {
      problem in
      let f16 = try problem.openCLF16Operands(result: false)
      let context = try problem.requireOpenCL()
      guard problem.outputs[0].scalar == .int32 else { throw Refusal("positions other than int32") }
      let line = try AxisLines(problem, "axis", default: -1)
      guard (1...(1 << 30)).contains(line.count) else { throw Refusal("an axis of \(line.count)") }
      let x = try problem.slot("x")
      let isMax = problem.operation == "reduce_argmax"
      return Candidate(efficiency: 0.1) {
        let launch = try CLArg(
          context, isMax: isMax, outer: line.outer, axis: line.count, inner: line.inner, f16: f16)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    },
    KernelImplementation(
      "norm.opencl", for: ["layer_norm", "instance_norm", "batch_norm", "l2_norm", "fused.rms_norm"], on: .openCL,
      mixesPrecisions: true
    ) { problem in
      try problem.requireScalar(.float32, of: ["mean", "variance", "gamma", "beta"])
      let f16 = try problem.openCLF16Operands()
      let context = try problem.requireOpenCL()
      let kind = try openCLNorm(problem)
      let epsilon = Float(try problem.invocation.double("epsilon", default: defaultEpsilon[problem.operation] ?? 1e-5))
      let x = try problem.slot("x")
      let (mean, variance) = (problem.optionalSlot("mean"), problem.optionalSlot("variance"))
      let (gamma, beta) = (problem.optionalSlot("gamma"), problem.optionalSlot("beta"))
      return Candidate(efficiency: 0.1) {
        let launch = try CLNormalize(
          context, kind, epsilon: epsilon, hasGamma: gamma != nil, hasBeta: beta != nil,
          f16: f16)
        return .openCL { frame in
          func memory(_ slot: Int?) -> OpenCLMemory? { slot.map { frame.inputs[$0] } }
          try launch.enqueue(
            on: frame.queue, x: frame.inputs[x], mean: memory(mean), variance: memory(variance), gamma: memory(gamma),
            beta: memory(beta), y: frame.outputs[0])
        }
      }
    },
  ]

  private static let defaultEpsilon = ["l2_norm": 1e-6, "fused.rms_norm": 0]

  private static func openCLNorm(_ problem: KernelProblem) throws -> CLNormalize.Kind {
    let sizes = try problem.sizes("x")
    guard !sizes.contains(0) else { throw Refusal("an empty tensor") }
    switch problem.operation {
    case "layer_norm":
      let axes = try problem.invocation.axes("axes", default: Array(sizes.indices), rank: sizes.count).sorted()
      guard axes == Array((sizes.count - axes.count)..<sizes.count), let first = axes.first else {
        throw Refusal("the axes \(axes) are not the last ones")
      }
      return .layer(rows: sizes[..<first].reduce(1, *), count: sizes[first...].reduce(1, *))
    case "fused.rms_norm":
      return .rootMeanSquare(rows: sizes.dropLast().reduce(1, *), count: sizes.last ?? 1)
    case "l2_norm": return .l2(rows: sizes.dropLast(3).reduce(1, *), count: sizes.suffix(3).reduce(1, *))
    case "instance_norm":
      return .instance(images: sizes[0], channels: sizes[1], count: sizes[2...].reduce(1, *))
    default: return .batch(images: sizes[0], channels: sizes[1], count: sizes[2...].reduce(1, *))
    }
  }
}
