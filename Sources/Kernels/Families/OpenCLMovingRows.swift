import MIL

extension KernelTable {
  /// OpenCL rows that move elements of one to eight bytes without looking at them.
  static let openCLMovingRows: [Row] =
    [
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
      Row("transpose.opencl.tiles", for: "transpose", on: .openCL) { site in
        let view = try site.known { try CopyView(site, copyRules["transpose"]) }
        return try site.openCLMoves([OpenCLMove(site, from: view)], by: .tiles)
      },
    ]
    + copyRules.sorted { $0.key < $1.key }.map { operation, rule in
      Row("copy.opencl", for: operation, on: .openCL) { site in
        let view = try site.known { try CopyView(site, rule) }
        return try site.openCLMoves([OpenCLMove(site, from: view)])
      }
    } + [
      Row("copy.opencl", for: "concat", on: .openCL) { site in
        let shape = try site.outputSizes()
        let slots = site.slots("values")
        let axis = try site.sizes("values").isEmpty ? 0 : site.invocation.axis("axis", rank: shape.count)
        let isInterleaved = try site.invocation.bool("interleave", default: false)
        let strides = rowMajorStrides(shape)
        var begin = 0
        return try site.openCLMoves(
          slots.enumerated().map { index, slot in
            var part = try site.sizes("values", index)
            if part.isEmpty { part = [1] }
            var steps = strides
            if isInterleaved { steps[axis] *= slots.count }
            defer { begin += part[axis] }
            return OpenCLMove(
              slot: slot, shape: part, from: CopyView(part, rowMajorStrides(part)),
              to: CopyView(part, steps, (isInterleaved ? index : begin) * strides[axis]))
          }, elements: "values")
      },
      Row("copy.opencl", for: "stack", on: .openCL) { site in
        let shape = try site.outputSizes()
        let axis = try site.invocation.axis("axis", rank: shape.count)
        var strides = rowMajorStrides(shape)
        let step = strides.remove(at: axis)
        return try site.openCLMoves(
          site.slots("values").enumerated().map { index, slot in
            let part = try site.sizes("values", index)
            return OpenCLMove(
              slot: slot, shape: part, from: CopyView(part, rowMajorStrides(part)),
              to: CopyView(part, strides, index * step))
          }, elements: "values")
      },
      Row("copy.opencl", for: "split", on: .openCL) { site in
        let shape = try site.sizes("x")
        let axis = try site.invocation.axis("axis", rank: shape.count)
        let strides = rowMajorStrides(shape)
        let slot = try site.slot("x")
        if let offer = try openCLSplit(site, shape, axis) { return offer }
        var begin = 0
        return try site.openCLMoves(
          site.outputs.indices.map { output in
            let part = try site.outputSizes(output)
            defer { begin += part[axis] }
            return OpenCLMove(
              slot: slot, output: output, shape: part, from: CopyView(part, strides, begin * strides[axis]),
              to: CopyView(part, rowMajorStrides(part)))
          })
      },
      Row("fill.opencl", for: ["fill", "fill_like"], on: .openCL) { site in
        let shape = try site.outputSizes()
        guard site.has("value") else {
          let context = try site.requireOpenCL()
          let count = shape.reduce(1, *)
          guard site.outputs[0].scalar == .float32 else { throw Refusal("the output is no fp32") }
          return Offer(efficiency: 0.1) {
            let launch = try CLFill(context, elementSize: 4, count: count, bits: 0)
            return .openCL { frame in try launch.enqueue(on: frame.queue, y: frame.outputs[0]) }
          }
        }
        let zeros = shape.map { _ in 0 }
        return try site.openCLMoves(
          [
            OpenCLMove(
              slot: site.slot("value"), shape: shape, from: CopyView(shape, zeros),
              to: CopyView(shape, rowMajorStrides(shape)))
          ], elements: "value")
      },
      Row("pad.opencl", for: "pad", on: .openCL) { try openCLPad($0) },
    ]

  /// A split of several rows to a few parts, in one launch; nil for others. Parts of a single row are where they are, or a copy each.
  private static func openCLSplit(_ site: Site, _ shape: [Int], _ axis: Int) throws -> Offer? {
    let parts = try site.outputs.indices.map { try site.outputSizes($0) }
    let rows = shape[..<axis].reduce(1, *)
    let columns = parts.map { $0[axis...].reduce(1, *) }
    guard rows > 1, (2...CLSplit.mostParts).contains(parts.count), columns.allSatisfy({ $0 > 0 }) else { return nil }
    let (context, size, slot) = (try site.requireOpenCL(), try site.openCLElementSize("x"), try site.slot("x"))
    let bytes = 2 * Double(shape.reduce(size, *))
    return Offer(efficiency: 1, work: Work(flops: 0, bytes: bytes)) {
      let split = try CLSplit(context, elementSize: size, rows: rows, columns: columns)
      return .openCL { frame in
        try split.enqueue(on: frame.queue, x: frame.inputs[slot]) { frame.outputs[$0] }
      }
    }
  }

  private static func openCLPad(_ site: Site) throws -> Offer {
    let context = try site.requireOpenCL()
    let shape = try site.sizes("x")
    let type = try site.invocation.tensor("x")
    let size = try site.openCLElementSize("x")
    let (before, after) = try site.known { try site.invocation.padding(of: type.shape) }
    let output = try site.outputSizes()
    guard !shape.isEmpty, !output.contains(0) else { throw Refusal("there is nothing to pad") }
    let x = try site.slot("x")
    let mode = try site.invocation.padMode()
    guard mode == .constant else {
      try site.requireMirroredOnce(shape, before, after)
      return Offer(efficiency: 0.1) {
        let launch = try CLPad(
          context, mode == .reflect ? .reflect : .replicate, elementSize: size, shape: shape, before: before,
          after: after)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    }
    guard size <= 4 else { throw Refusal("elements of \(size) bytes: the kernel fills up to four") }
    let value = try site.known {
      try site.has("constant_val") ? site.invocation.constant("constant_val") : Tensor(float32: [0], shape: [])
    }.converted(to: type.scalar)
    guard value.count == 1 else { throw Refusal("'constant_val' is not one value") }
    let bits = value.withUnsafeBytes { bytes in
      bytes.prefix(size).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    return Offer(efficiency: 0.1) {
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
