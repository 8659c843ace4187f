import MIL

/// OpenCL kernels that create tensors from a few values, move elements by special rules, or work on channels.
enum OpenCLCreationKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("one_hot.opencl", for: "one_hot", on: .openCL) { problem in
      let context = try problem.requireOpenCL()
      let scalar = problem.outputs[0].scalar
      guard [8, 16, 32].contains(scalar.bitWidth) else {
        throw Refusal("the output is \(scalar.rawValue), the kernel gives elements of up to 32 bits")
      }
      let indices = try problem.openCLIndices()
      let shape = try problem.outputSizes()
      let axis = try problem.invocation.axis("axis", default: -1, rank: shape.count)
      func bits(_ name: String, _ fallback: Double) throws -> UInt32 {
        let value = try problem.known { try problem.invocation.double(name, default: fallback) }
        return try Tensor(scalar, shape: [], doubles: [value]).withUnsafeBytes { bytes in
          bytes.prefix(scalar.bitWidth / 8).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
      }
      let (on, off) = (try bits("on_value", 1), try bits("off_value", 0))
      let slot = try problem.slot("indices")
      return Candidate(efficiency: 0.1) {
        let launch = try CLOneHot(
          context, elementSize: scalar.bitWidth / 8, indices: indices, outer: shape[..<axis].reduce(1, *),
          axis: shape[axis], inner: shape[(axis + 1)...].reduce(1, *), on: on, off: off)
        return .openCL { frame in
          try launch.enqueue(on: frame.queue, indices: frame.inputs[slot], y: frame.outputs[0])
        }
      }
    },
    KernelImplementation("band_part.opencl", for: "band_part", on: .openCL) { problem in
      let context = try problem.requireOpenCL()
      let (shape, size, x) = (try problem.sizes("x"), try problem.openCLElementSize("x"), try problem.slot("x"))
      let (lower, upper) = try problem.known {
        (try problem.invocation.int("lower", default: -1), try problem.invocation.int("upper", default: -1))
      }
      return Candidate(efficiency: 0.1, inPlace: [x]) {
        let launch = try CLBandPart(context, elementSize: size, shape: shape, lower: lower, upper: upper)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    },
    KernelImplementation("reverse_sequence.opencl", for: "reverse_sequence", on: .openCL) { problem in
      let context = try problem.requireOpenCL()
      let (shape, size) = (try problem.sizes("x"), try problem.openCLElementSize("x"))
      let axis = try problem.invocation.axis("seq_axis", default: 0, rank: shape.count)
      let batch = try problem.invocation.axis("batch_axis", default: 0, rank: shape.count)
      let type = try problem.openCLIndices("lengths")
      let (x, lengths) = (try problem.slot("x"), try problem.slot("lengths"))
      return Candidate(efficiency: 0.1) {
        let launch = try CLReverseSequence(
          context, elementSize: size, lengths: type, shape: shape, axis: axis, batchAxis: batch)
        return .openCL { frame in
          try launch.enqueue(
            on: frame.queue, x: frame.inputs[x], lengths: frame.inputs[lengths], y: frame.outputs[0])
        }
      }
    },
    KernelImplementation("blocks.opencl", for: ["space_to_batch", "batch_to_space"], on: .openCL) { problem in
      let context = try problem.requireOpenCL()
      let intoBatch = problem.operation == "space_to_batch"
      let (x, y) = (try problem.sizes("x"), try problem.outputSizes())
      let (block, amounts) = try problem.known { try problem.invocation.blocks(intoBatch ? "paddings" : "crops") }
      let (image, blocks) = intoBatch ? (x, y) : (y, x)
      guard block.allSatisfy({ $0 <= 1 << 16 }), amounts.joined().allSatisfy({ $0 <= 1 << 29 }) else {
        throw Refusal("blocks of \(block)")
      }
      let (slot, size) = (try problem.slot("x"), try problem.openCLElementSize("x"))
      return Candidate(efficiency: 0.1) {
        let launch = try CLBlocks(
          context, elementSize: size, image: image, blocks: blocks, block: block,
          before: [amounts[0][0], amounts[1][0]], intoBatch: intoBatch)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[slot], y: frame.outputs[0]) }
      }
    },
    KernelImplementation("copy.opencl", for: "crop", on: .openCL) { problem in
      let (sizes, output) = (try problem.sizes("x"), try problem.outputSizes())
      let strides = rowMajorStrides(sizes)
      let (top, left) = (try problem.invocation.ints("crop_height")[0], try problem.invocation.ints("crop_width")[0])
      let view = CopyView(output, strides, top * strides[sizes.count - 2] + left)
      return try OpenCLMoves(problem: problem).candidate([OpenCLMove(problem, from: view)])
    },
    KernelImplementation("local_response_norm.opencl", for: "local_response_norm", on: .openCL, mixesPrecisions: true) {
      problem in
      let f16 = try problem.openCLF16Operands()
      let context = try problem.requireOpenCL()
      let (sizes, x) = (try problem.sizes("x"), try problem.slot("x"))
      let size = try problem.invocation.int("size")
      let alpha = Float(try problem.invocation.double("alpha", default: 1e-4))
      let beta = Float(try problem.invocation.double("beta", default: 0.75))
      let k = Float(try problem.invocation.double("k", default: 1))
      return Candidate(efficiency: 0.1) {
        let launch = try CLLocalResponseNorm(
          context, outer: sizes[0], channels: sizes[1], inner: sizes[2...].reduce(1, *), size: size, alpha: alpha,
          beta: beta, k: k, f16: f16)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    },
    KernelImplementation("softplus_parametric.opencl", for: "softplus_parametric", on: .openCL, mixesPrecisions: true) {
      problem in
      try problem.requireScalar(.float32, of: ["alpha", "beta"])
      let f16 = try problem.openCLF16Operands()
      let context = try problem.requireOpenCL()
      let sizes = try problem.sizes("x")
      let (x, alpha, beta) = (try problem.slot("x"), try problem.slot("alpha"), try problem.slot("beta"))
      let function = try Refusal.onLaunchError { try CLFunction("softplus_parametric") }
      return Candidate(efficiency: 0.1, inPlace: [x]) {
        let launch = try CLPerChannel(
          context, function, outer: sizes[0], channels: sizes[1], inner: sizes[2...].reduce(1, *), f16: f16)
        return .openCL { frame in
          try launch.enqueue(
            on: frame.queue, x: frame.inputs[x], alpha: frame.inputs[alpha], beta: frame.inputs[beta],
            y: frame.outputs[0])
        }
      }
    },
  ]
}
