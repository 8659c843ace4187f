import MIL

/// OpenCL kernels that move elements of one to eight bytes without interpreting them.
enum OpenCLMovingKernels {
  static let all: [KernelImplementation] =
    [
      KernelImplementation(
        "reshape.opencl", for: ["reshape", "expand_dims", "squeeze", "flatten2d", "identity", "reshape_like"],
        on: .openCL
      ) { problem in
        _ = try problem.requireOpenCL()
        let x = try problem.slot("x")
        return Candidate(efficiency: 1, alias: x, work: Work(flops: 0, bytes: 0)) {
          .openCL { frame in
            let (source, target) = (frame.inputs[x], frame.outputs[0])
            if source.buffer !== target.buffer || source.byteOffset != target.byteOffset {
              try frame.queue.copy(source, to: target)
            }
          }
        }
      },
      KernelImplementation("transpose.opencl.tiles", for: "transpose", on: .openCL) { problem in
        let view = try problem.known { try CopyView(problem, CopyKernels.rules["transpose"]) }
        return try OpenCLMoves(problem: problem).candidate([OpenCLMove(problem, from: view)], by: .tiles)
      },
    ]
    + CopyKernels.rules.sorted { $0.key < $1.key }.map { operation, rule in
      KernelImplementation("copy.opencl", for: operation, on: .openCL) { problem in
        let view = try problem.known { try CopyView(problem, rule) }
        return try OpenCLMoves(problem: problem).candidate([OpenCLMove(problem, from: view)])
      }
    } + [
      KernelImplementation("copy.opencl", for: "concat", on: .openCL) { problem in
        let shape = try problem.outputSizes()
        let slots = problem.slots("values")
        let axis = try problem.sizes("values").isEmpty ? 0 : problem.invocation.axis("axis", rank: shape.count)
        let isInterleaved = try problem.invocation.bool("interleave", default: false)
        let strides = rowMajorStrides(shape)
        var begin = 0
        return try OpenCLMoves(problem: problem).candidate(
          slots.enumerated().map { index, slot in
            var part = try problem.sizes("values", index)
            if part.isEmpty { part = [1] }
            var steps = strides
            if isInterleaved { steps[axis] *= slots.count }
            defer { begin += part[axis] }
            return OpenCLMove(
              slot: slot, shape: part, from: CopyView(part, rowMajorStrides(part)),
              to: CopyView(part, steps, (isInterleaved ? index : begin) * strides[axis]))
          }, elements: "values")
      },
      KernelImplementation("copy.opencl", for: "stack", on: .openCL) { problem in
        let shape = try problem.outputSizes()
        let axis = try problem.invocation.axis("axis", rank: shape.count)
        var strides = rowMajorStrides(shape)
        let step = strides.remove(at: axis)
        return try OpenCLMoves(problem: problem).candidate(
          problem.slots("values").enumerated().map { index, slot in
            let part = try problem.sizes("values", index)
            return OpenCLMove(
              slot: slot, shape: part, from: CopyView(part, rowMajorStrides(part)),
              to: CopyView(part, strides, index * step))
          }, elements: "values")
      },
      KernelImplementation("copy.opencl", for: "split", on: .openCL) { problem in
        let shape = try problem.sizes("x")
        let axis = try problem.invocation.axis("axis", rank: shape.count)
        let strides = rowMajorStrides(shape)
        let slot = try problem.slot("x")
        if let candidate = try openCLSplit(problem, shape, axis) { return candidate }
        var begin = 0
        return try OpenCLMoves(problem: problem).candidate(
          problem.outputs.indices.map { output in
            let part = try problem.outputSizes(output)
            defer { begin += part[axis] }
            return OpenCLMove(
              slot: slot, output: output, shape: part, from: CopyView(part, strides, begin * strides[axis]),
              to: CopyView(part, rowMajorStrides(part)))
          })
      },
      KernelImplementation("fill.opencl", for: ["fill", "fill_like"], on: .openCL) { problem in
        let shape = try problem.outputSizes()
        guard problem.has("value") else {
          let context = try problem.requireOpenCL()
          let count = shape.reduce(1, *)
          guard problem.outputs[0].scalar == .float32 else { throw Refusal("the output is no fp32") }
          return Candidate(efficiency: 0.1) {
            let launch = try CLFill(context, elementSize: 4, count: count, bits: 0)
            return .openCL { frame in try launch.enqueue(on: frame.queue, y: frame.outputs[0]) }
          }
        }
        let zeros = shape.map { _ in 0 }
        return try OpenCLMoves(problem: problem).candidate(
          [
            OpenCLMove(
              slot: problem.slot("value"), shape: shape, from: CopyView(shape, zeros),
              to: CopyView(shape, rowMajorStrides(shape)))
          ], elements: "value")
      },
      KernelImplementation("pad.opencl", for: "pad", on: .openCL) { try openCLPad($0) },
    ]

  /// A split of several rows into a few parts, in one launch. Nil for other splits. Parts of a single row are aliases
  /// or single copies.
  private static func openCLSplit(_ problem: KernelProblem, _ shape: [Int], _ axis: Int) throws -> Candidate? {
    let parts = try problem.outputs.indices.map { try problem.outputSizes($0) }
    let rows = shape[..<axis].reduce(1, *)
    let columns = parts.map { $0[axis...].reduce(1, *) }
    guard rows > 1, (2...CLSplit.mostParts).contains(parts.count), columns.allSatisfy({ $0 > 0 }) else { return nil }
    let (context, size, slot) = (try problem.requireOpenCL(), try problem.openCLElementSize("x"), try problem.slot("x"))
    let bytes = 2 * Double(shape.reduce(size, *))
    return Candidate(efficiency: 1, work: Work(flops: 0, bytes: bytes)) {
      let split = try CLSplit(context, elementSize: size, rows: rows, columns: columns)
      return .openCL { frame in
        try split.enqueue(on: frame.queue, x: frame.inputs[slot]) { frame.outputs[$0] }
      }
    }
  }

  private static func openCLPad(_ problem: KernelProblem) throws -> Candidate {
    let context = try problem.requireOpenCL()
    let shape = try problem.sizes("x")
    let type = try problem.invocation.tensor("x")
    let size = try problem.openCLElementSize("x")
    let (before, after) = try problem.known { try problem.invocation.padding(of: type.shape) }
    let output = try problem.outputSizes()
    guard !shape.isEmpty, !output.contains(0) else { throw Refusal("there is nothing to pad") }
    let x = try problem.slot("x")
    let mode = try problem.invocation.padMode()
    guard mode == .constant else {
      try problem.requireMirroredOnce(shape, before, after)
      return Candidate(efficiency: 0.1) {
        let launch = try CLPad(
          context, mode == .reflect ? .reflect : .replicate, elementSize: size, shape: shape, before: before,
          after: after)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    }
    guard size <= 4 else { throw Refusal("elements of \(size) bytes: the kernel fills up to four") }
    let value = try problem.known {
      try problem.has("constant_val") ? problem.invocation.constant("constant_val") : Tensor(float32: [0], shape: [])
    }.converted(to: type.scalar)
    guard value.count == 1 else { throw Refusal("'constant_val' is not one value") }
    let bits = value.withUnsafeBytes { bytes in
      bytes.prefix(size).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    return Candidate(efficiency: 0.1) {
      let fill = try CLFill(context, elementSize: size, count: output.reduce(1, *), bits: bits)
      let place =
        shape.contains(0)
        ? nil
        : try CLMove.place(
          context, elementSize: size, sizes: shape, in: output, begin: before)
      return .openCL { frame in
        try fill.enqueue(on: frame.queue, y: frame.outputs[0])
        try place?.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0])
      }
    }
  }
}
