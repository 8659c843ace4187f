import MIL

/// OpenCL kernels that select elements by indices of up to 32 bits. An index outside of its axis sets the queue's
/// fault word, and the queue's `finish` throws.
enum OpenCLGatherKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("gather.opencl", for: "gather", on: .openCL) { problem in
      let context = try problem.requireOpenCL()
      let x = try problem.sizes("x")
      let axis = try problem.invocation.axis("axis", default: 0, rank: x.count)
      let batchDims = try problem.invocation.int("batch_dims", default: 0)
      let (size, indices) = (try problem.openCLElementSize("x"), try problem.openCLIndices())
      let picks = try problem.sizes("indices")[batchDims...].reduce(1, *)
      return try problem.openCLGather {
        try CLGather(
          context, elementSize: size, indices: indices, batch: x[..<batchDims].reduce(1, *),
          outer: x[batchDims..<axis].reduce(1, *), axis: x[axis], inner: x[(axis + 1)...].reduce(1, *), picks: picks)
      }
    },
    KernelImplementation("gather.opencl", for: "gather_along_axis", on: .openCL) { problem in
      let context = try problem.requireOpenCL()
      let x = try problem.sizes("x")
      let axis = try problem.invocation.axis("axis", default: 0, rank: x.count)
      let (size, indices) = (try problem.openCLElementSize("x"), try problem.openCLIndices())
      let picks = try problem.sizes("indices")[axis]
      return try problem.openCLGather {
        try CLGather(
          context, elementSize: size, indices: indices, alongAxis: x[axis], outer: x[..<axis].reduce(1, *),
          inner: x[(axis + 1)...].reduce(1, *), picks: picks)
      }
    },
    KernelImplementation("gather.opencl", for: "gather_nd", on: .openCL) { problem in
      let context = try problem.requireOpenCL()
      let x = try problem.sizes("x")
      let shape = try problem.sizes("indices")
      let batchDims = try problem.invocation.int("batch_dims", default: 0)
      let (size, indices) = (try problem.openCLElementSize("x"), try problem.openCLIndices())
      guard let depth = shape.last, depth > 0 else { throw Refusal("indices that pick from no axis") }
      return try problem.openCLGather {
        try CLGather(
          context, elementSize: size, indices: indices, axes: Array(x[batchDims..<(batchDims + depth)]),
          batch: x[..<batchDims].reduce(1, *), rows: shape[batchDims...].dropLast().reduce(1, *),
          inner: x[(batchDims + depth)...].reduce(1, *))
      }
    },
  ]
}

extension KernelProblem {
  /// The type of an argument that holds indices.
  func openCLIndices(_ name: String = "indices") throws -> CLGather.Indices {
    let scalar = try scalar(name)
    guard scalar.isInteger, scalar.bitWidth >= 8 else {
      throw Refusal("the kernel takes integers as indices, '\(name)' is \(scalar.rawValue)")
    }
    let isStrict = try !invocation.takesNegativeIndices()
    return try Refusal.onLaunchError {
      try CLGather.Indices(size: scalar.bitWidth / 8, isSigned: scalar.isSigned, isStrict: isStrict)
    }
  }

  fileprivate func openCLGather(_ make: @escaping @Sendable () throws -> CLGather) throws -> Candidate {
    let (x, indices) = (try slot("x"), try slot("indices"))
    return Candidate(efficiency: 0.1) {
      let launch = try make()
      return .openCL { frame in
        try launch.enqueue(
          on: frame.queue, x: frame.inputs[x], indices: frame.inputs[indices], y: frame.outputs[0])
      }
    }
  }
}
