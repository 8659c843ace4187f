import MIL

extension KernelTable {
  /// OpenCL rows that make tensors of a few numbers, move elements by rules of their own, or look at channels.
  static let openCLMakingRows: [Row] = [
    Row("one_hot.opencl", for: "one_hot", on: .openCL) { site in
      let context = try site.requireOpenCL()
      let scalar = site.outputs[0].scalar
      guard [8, 16, 32].contains(scalar.bitWidth) else {
        throw Refusal("the output is \(scalar.rawValue), the kernel gives elements of up to 32 bits")
      }
      let indices = try site.openCLIndices()
      let shape = try site.outputSizes()
      let axis = try site.invocation.axis("axis", default: -1, rank: shape.count)
      func bits(_ name: String, _ fallback: Double) throws -> UInt32 {
        let value = try site.known { try site.invocation.double(name, default: fallback) }
        return try Tensor(scalar, shape: [], doubles: [value]).withUnsafeBytes { bytes in
          bytes.prefix(scalar.bitWidth / 8).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
      }
      let (on, off) = (try bits("on_value", 1), try bits("off_value", 0))
      let slot = try site.slot("indices")
      return Offer(efficiency: 0.1) {
        let launch = try CLOneHot(
          context, elementSize: scalar.bitWidth / 8, indices: indices, outer: shape[..<axis].reduce(1, *),
          axis: shape[axis], inner: shape[(axis + 1)...].reduce(1, *), on: on, off: off)
        return .openCL { frame in
          try launch.enqueue(on: frame.queue, indices: frame.inputs[slot], y: frame.outputs[0])
        }
      }
    },
    Row("band_part.opencl", for: "band_part", on: .openCL) { site in
      let context = try site.requireOpenCL()
      let (shape, size, x) = (try site.sizes("x"), try site.openCLElementSize("x"), try site.slot("x"))
      let (lower, upper) = try site.known {
        (try site.invocation.int("lower", default: -1), try site.invocation.int("upper", default: -1))
      }
      return Offer(efficiency: 0.1, inPlace: [x]) {
        let launch = try CLBandPart(context, elementSize: size, shape: shape, lower: lower, upper: upper)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    },
    Row("reverse_sequence.opencl", for: "reverse_sequence", on: .openCL) { site in
      let context = try site.requireOpenCL()
      let (shape, size) = (try site.sizes("x"), try site.openCLElementSize("x"))
      let axis = try site.invocation.axis("seq_axis", default: 0, rank: shape.count)
      let batch = try site.invocation.axis("batch_axis", default: 0, rank: shape.count)
      let type = try site.openCLIndices("lengths")
      let (x, lengths) = (try site.slot("x"), try site.slot("lengths"))
      return Offer(efficiency: 0.1) {
        let launch = try CLReverseSequence(
          context, elementSize: size, lengths: type, shape: shape, axis: axis, batchAxis: batch)
        return .openCL { frame in
          try launch.enqueue(
            on: frame.queue, x: frame.inputs[x], lengths: frame.inputs[lengths], y: frame.outputs[0])
        }
      }
    },
    Row("blocks.opencl", for: ["space_to_batch", "batch_to_space"], on: .openCL) { site in
      let context = try site.requireOpenCL()
      let intoBatch = site.operation == "space_to_batch"
      let (x, y) = (try site.sizes("x"), try site.outputSizes())
      let (block, amounts) = try site.known { try site.invocation.blocks(intoBatch ? "paddings" : "crops") }
      let (image, blocks) = intoBatch ? (x, y) : (y, x)
      guard block.allSatisfy({ $0 <= 1 << 16 }), amounts.joined().allSatisfy({ $0 <= 1 << 29 }) else {
        throw Refusal("blocks of \(block)")
      }
      let (slot, size) = (try site.slot("x"), try site.openCLElementSize("x"))
      return Offer(efficiency: 0.1) {
        let launch = try CLBlocks(
          context, elementSize: size, image: image, blocks: blocks, block: block,
          before: [amounts[0][0], amounts[1][0]], intoBatch: intoBatch)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[slot], y: frame.outputs[0]) }
      }
    },
    Row("copy.opencl", for: "crop", on: .openCL) { site in
      let (sizes, output) = (try site.sizes("x"), try site.outputSizes())
      let strides = rowMajorStrides(sizes)
      let (top, left) = (try site.invocation.ints("crop_height")[0], try site.invocation.ints("crop_width")[0])
      let view = CopyView(output, strides, top * strides[sizes.count - 2] + left)
      return try site.openCLMoves([OpenCLMove(site, from: view)])
    },
    Row("local_response_norm.opencl", for: "local_response_norm", on: .openCL, mixesHalves: true) { site in
      let halves = try site.openCLHalves()
      let context = try site.requireOpenCL()
      let (sizes, x) = (try site.sizes("x"), try site.slot("x"))
      let size = try site.invocation.int("size")
      let alpha = Float(try site.invocation.double("alpha", default: 1e-4))
      let beta = Float(try site.invocation.double("beta", default: 0.75))
      let k = Float(try site.invocation.double("k", default: 1))
      return Offer(efficiency: 0.1) {
        let launch = try CLLocalResponseNorm(
          context, outer: sizes[0], channels: sizes[1], inner: sizes[2...].reduce(1, *), size: size, alpha: alpha,
          beta: beta, k: k, halves: halves)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    },
    Row("softplus_parametric.opencl", for: "softplus_parametric", on: .openCL, mixesHalves: true) { site in
      try site.requireScalar(.float32, of: ["alpha", "beta"])
      let halves = try site.openCLHalves()
      let context = try site.requireOpenCL()
      let sizes = try site.sizes("x")
      let (x, alpha, beta) = (try site.slot("x"), try site.slot("alpha"), try site.slot("beta"))
      let function = try openCLChecked { try CLFunction("softplus_parametric") }
      return Offer(efficiency: 0.1, inPlace: [x]) {
        let launch = try CLPerChannel(
          context, function, outer: sizes[0], channels: sizes[1], inner: sizes[2...].reduce(1, *), halves: halves)
        return .openCL { frame in
          try launch.enqueue(
            on: frame.queue, x: frame.inputs[x], alpha: frame.inputs[alpha], beta: frame.inputs[beta],
            y: frame.outputs[0])
        }
      }
    },
  ]
}
