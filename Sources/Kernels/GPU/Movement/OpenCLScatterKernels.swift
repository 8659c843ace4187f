import MIL

/// OpenCL kernels that write updates into a tensor, at indexed positions or into slices.
enum OpenCLScatterKernels {
  static let all: [KernelImplementation] =
    CLScatter.Way.allCases.flatMap { way in
      [
        KernelImplementation("scatter.opencl.\(way.rawValue)", for: "scatter", on: .openCL) { problem in
          let data = try problem.sizes("data")
          let axis = try problem.invocation.axis("axis", default: 0, rank: data.count)
          return try openCLScatter(
            problem,
            CLScatter.Shape(
              outer: data[..<axis].reduce(1, *), axes: [data[axis]], inner: data[(axis + 1)...].reduce(1, *),
              picks: problem.sizes("indices").reduce(1, *)), by: way)
        },
        KernelImplementation("scatter.opencl.\(way.rawValue)", for: "scatter_along_axis", on: .openCL) { problem in
          let data = try problem.sizes("data")
          let axis = try problem.invocation.axis("axis", default: 0, rank: data.count)
          return try openCLScatter(
            problem,
            CLScatter.Shape(
              outer: data[..<axis].reduce(1, *), axes: [data[axis]], inner: data[(axis + 1)...].reduce(1, *),
              picks: problem.sizes("indices")[axis], isAlong: true), by: way)
        },
        KernelImplementation("scatter.opencl.\(way.rawValue)", for: "scatter_nd", on: .openCL) { problem in
          let data = try problem.sizes("data")
          let shape = try problem.sizes("indices")
          guard let depth = shape.last, depth > 0 else { throw Refusal("indices that pick from no axis") }
          return try openCLScatter(
            problem,
            CLScatter.Shape(
              outer: 1, axes: Array(data[..<depth]), inner: data[depth...].reduce(1, *),
              picks: shape.dropLast().reduce(1, *)), by: way)
        },
      ]
    } + [
      KernelImplementation("update.opencl", for: "slice_update", on: .openCL) { problem in
        let context = try problem.requireOpenCL()
        let (shape, update) = (try problem.sizes("x"), try problem.sizes("update"))
        let size = try problem.openCLElementSize("x")
        guard !shape.contains(0) else { throw Refusal("an empty tensor") }
        let view = CopyView(slices: try problem.known { try problem.invocation.slices(of: shape) }, of: shape)
        guard view.shape == update else {
          throw Refusal("the slice has the shape \(view.shape), the update \(update)")
        }
        let counts = (x: shape.reduce(1, *), update: update.reduce(1, *))
        let from = CLMove.View(count: counts.update, start: 0, strides: rowMajorStrides(update))
        let to = CLMove.View(count: counts.x, start: view.offset, strides: view.strides)
        return try problem.openCLUpdate {
          // An update without elements changes nothing.
          guard counts.update > 0 else { return { _, _ in } }
          let move = try CLMove(context, elementSize: size, sizes: update, from: from, to: to)
          return { frame, slot in try move.enqueue(on: frame.queue, x: frame.inputs[slot], y: frame.outputs[0]) }
        }
      },
      KernelImplementation("update.opencl.dynamic", for: "slice_update", on: .openCL) { problem in
        let context = try problem.requireOpenCL()
        let (shape, update) = (try problem.sizes("x"), try problem.sizes("update"))
        let size = try problem.openCLElementSize("x")
        guard problem.invocation.valueIfKnown("begin") == nil || problem.invocation.valueIfKnown("end") == nil else {
          throw Refusal("the slice is known before")
        }
        guard !shape.contains(0), !update.contains(0) else {
          throw Refusal("an update of nothing, of which only the bounds are checked")
        }
        guard let slice = try RunTimeSlice(indexing: problem, of: shape, planned: update) else {
          throw Refusal("more than the bounds of the slice, or another type than int32, is left to run time")
        }
        guard (1...CLSliceUpdate.mostAxes).contains(slice.axes.count) else { throw Refusal("\(shape.count) axes") }
        let (begin, end) = (try problem.slot("begin"), try problem.slot("end"))
        let counts = (begin: try problem.sizes("begin").reduce(1, *), end: try problem.sizes("end").reduce(1, *))
        let axes = slice.axes.map { axis in
          CLSliceUpdate.Axis(
            size: axis.size, step: axis.step, count: axis.count, begin: CLSliceUpdate.Bound(axis.begin),
            end: CLSliceUpdate.Bound(axis.end))
        }
        return try problem.openCLUpdate {
          let launch = try CLSliceUpdate(context, elementSize: size, axes, begins: counts.begin, ends: counts.end)
          return { frame, slot in
            try launch.enqueue(
              on: frame.queue, update: frame.inputs[slot], begin: frame.inputs[begin], end: frame.inputs[end],
              y: frame.outputs[0])
          }
        }
      },
    ]

  private static func openCLScatter(_ problem: KernelProblem, _ shape: CLScatter.Shape, by way: CLScatter.Way) throws
    -> Candidate
  {
    let context = try problem.requireOpenCL()
    let scalar = try problem.scalar("data")
    _ = try problem.openCLElementSize("data")
    try problem.requireScalar(scalar, of: ["updates"])
    let mode = try problem.invocation.scatterMode()
    let indices = try problem.openCLIndices()
    if let reason = try Refusal.onLaunchError({ try CLScatter.refusal(of: shape, mode, scalar, by: way) }) {
      throw Refusal(reason)
    }
    let (data, picks, updates) = (try problem.slot("data"), try problem.slot("indices"), try problem.slot("updates"))
    let (columns, extent) = (shape.outer * shape.inner, shape.axes.reduce(1, *))
    let (all, changed) = (Double(columns * extent), Double(columns) * Double(shape.picks))
    // A column applies its updates one after the other, so few columns leave most of the device idle.
    let share =
      way == .elements
      ? 1 : CLAlong.share(of: context.device, outer: shape.outer, axis: shape.picks, inner: shape.inner)
    let size = Double(scalar.bitWidth / 8)
    return Candidate(
      efficiency: 0.1 * share, inPlace: [data],
      work: Work(
        flops: way == .elements ? 8 * all * Double(shape.picks) : 32 * changed, bytes: size * (2 * all + 3 * changed))
    ) {
      let launch = try CLScatter(context, shape, mode, of: scalar, indices: indices, by: way)
      return .openCL { frame in
        try launch.enqueue(
          on: frame.queue, data: frame.inputs[data], indices: frame.inputs[picks], updates: frame.inputs[updates],
          y: frame.outputs[0])
      }
    }
  }
}

extension CLSliceUpdate.Bound {
  fileprivate init(_ bound: RunTimeSlice.Bound) {
    switch bound {
    case .open: self = .open
    case .known(let number): self = .known(number)
    case .read(_, let index): self = .read(index)
    }
  }
}

extension KernelProblem {
  /// Copies `x` to the output, unless both are the same memory, then calls the closure from `make` with the update's
  /// slot.
  fileprivate func openCLUpdate(
    _ make: @escaping @Sendable () throws -> @Sendable (OpenCLFrame, Int) throws -> Void
  ) throws -> Candidate {
    let (x, update) = (try slot("x"), try slot("update"))
    let bytes = try sizes("x").reduce(1, *) * openCLElementSize("x")
    return Candidate(efficiency: 1, inPlace: [x]) {
      let write = try make()
      return .openCL { frame in
        try frame.queue.copy(frame.inputs[x], unlessAt: frame.outputs[0], byteCount: bytes)
        try write(frame, update)
      }
    }
  }
}
