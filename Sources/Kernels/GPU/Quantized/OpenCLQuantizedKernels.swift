import CoreMLBase
import MIL

/// OpenCL kernels for int8 and uint8: `quantize` and `dequantize`, and the weights of `conv_quantized`.
enum OpenCLQuantizedKernels {
  static let all: [KernelImplementation] =
    [
      KernelImplementation("quantize.opencl", for: ["quantize", "dequantize"], on: .openCL) {
        try openCLQuantization($0)
      }
    ]
    + [CLConvolution.Way.pointwise, .tiles, .direct].map { way in
      KernelImplementation("conv_quantized.opencl.\(way.rawValue)", for: "conv_quantized", on: .openCL) { problem in
        try openCLConvolution(quantized: problem, by: way)
      }
    }

  private static func openCLQuantization(_ problem: KernelProblem) throws -> Candidate {
    let context = try problem.requireOpenCL()
    let direction: CLQuantize.Direction = problem.operation == "quantize" ? .quantize : .dequantize
    let scalar = direction == .quantize ? problem.outputs[0].scalar : try problem.scalar("input")
    guard scalar == .int8 || scalar == .uint8 else { throw Refusal("the integers are \(scalar.rawValue)") }
    try problem.requireScalar(.float32, of: direction == .quantize ? ["input", "scale"] : ["scale"])
    guard direction == .quantize || problem.outputs[0].scalar == .float32 else {
      throw Refusal("the output is \(problem.outputs[0].scalar.rawValue)")
    }
    let zeroScalar = problem.has("zero_point") ? try problem.scalar("zero_point") : scalar
    guard zeroScalar == .int8 || zeroScalar == .uint8 else {
      throw Refusal("'zero_point' is \(zeroScalar.rawValue)")
    }
    let sizes = try problem.sizes("input")
    guard !sizes.contains(0) else { throw Refusal("an empty tensor") }
    let scales = try problem.sizes("scale").reduce(1, *)
    let zeros = problem.has("zero_point") ? try problem.sizes("zero_point").reduce(1, *) : 0
    // A single scale and zero point need no axis.
    let axis = scales > 1 || zeros > 1 ? try problem.invocation.axis("axis", default: 0, rank: sizes.count) : nil
    let shape = CLQuantize.Shape(
      count: sizes.reduce(1, *), entries: axis.map { sizes[$0] } ?? 1,
      inner: axis.map { sizes[($0 + 1)...].reduce(1, *) } ?? 1, scales: scales, zeros: zeros)
    guard [1, shape.entries].contains(scales), [0, 1, shape.entries].contains(zeros),
      zeros > 0 || !problem.has("zero_point")
    else { throw Refusal("\(scales) scales and \(zeros) zero points for \(shape.entries) entries") }
    let (input, scale) = (try problem.slot("input"), try problem.slot("scale"))
    let zero = problem.optionalSlot("zero_point")
    return Candidate(efficiency: 0.1) {
      let launch = try CLQuantize(
        context, direction, shape, isSigned: scalar == .int8, hasSignedZeros: zeroScalar == .int8)
      return .openCL { frame in
        try launch.enqueue(
          on: frame.queue, input: frame.inputs[input], scale: frame.inputs[scale], zero: zero.map { frame.inputs[$0] },
          y: frame.outputs[0])
      }
    }
  }

  /// Constant weights are converted to fp32 in device memory when the plan is made.
  private static func openCLConvolution(quantized problem: KernelProblem, by way: CLConvolution.Way) throws -> Candidate
  {
    try problem.requireScalar(.float32, of: ["x", "bias"])
    let context = try problem.requireOpenCL()
    let geometry = try Convolution.geometry(problem.invocation)
    let shape = CLConvolution.Shape(
      images: geometry.batch, inputs: geometry.inChannels, outputs: geometry.outChannels, groups: geometry.groups,
      window: try geometry.openCLWindow())
    let efficiency = try shape.efficiency(of: way, on: context.device)
    let names = ["weight", "quant_scale", "quant_bias"]
    let (weight, scale, offset) = (
      try problem.weight(names[0]), try problem.constant(names[1]), try problem.constant(names[2])
    )
    let channels = geometry.outChannels
    guard channels > 0, weight.count % channels == 0, [1, channels].contains(scale.count),
      [1, channels].contains(offset.count)
    else { throw Refusal("\(scale.count) scales and \(offset.count) offsets for \(channels) channels") }
    let (scales, offsets) = (try scale.doubles(), try offset.doubles())
    let label = problem.invocation.operation.label
    let (x, bias) = (try problem.slot("x"), problem.optionalSlot("bias"))
    return Candidate(efficiency: efficiency, packed: Set(try names.map { try problem.slot($0) })) {
      let launch = try CLConvolution(context, shape, by: way, hasBias: bias != nil, for: label)
      let inner = weight.count / channels
      try MemoryBudget.current.admit(weight.count, of: 4, for: "the weights of \(label)")
      let floats = [Float](unsafeUninitializedCapacity: weight.count) { buffer, count in
        count = weight.count
        guard let base = buffer.baseAddress else { return }
        weight.decode(0..<count, into: base)
        for channel in 0..<channels {
          let (scale, offset) = (scales[scales.count == 1 ? 0 : channel], offsets[offsets.count == 1 ? 0 : channel])
          for index in channel * inner..<(channel + 1) * inner {
            base[index] = Float(Double(base[index]) * scale + offset)
          }
        }
      }
      let stored = try context.makeBuffer(copying: floats)
      return .openCL { frame in
        try launch.enqueue(
          on: frame.queue, x: frame.inputs[x], weights: stored.memory, bias: bias.map { frame.inputs[$0] },
          y: frame.outputs[0])
      }
    }
  }
}
