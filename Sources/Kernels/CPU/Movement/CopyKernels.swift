import MIL

enum CopyKernels {
  /// The view of `x` that is an operation's whole result. The rule may read known values of the invocation. Its second
  /// argument is the shape of `x`.
  typealias Rule = @Sendable (KernelProblem, [Int]) throws -> CopyView

  /// Operations that rearrange or select elements without reading their values. They are one copy on every device.
  static let rules: [String: Rule] = [
    "transpose": { problem, shape in
      let perm = try problem.invocation.permutation(rank: shape.count)
      let strides = rowMajorStrides(shape)
      return CopyView(perm.map { shape[$0] }, perm.map { strides[$0] })
    },
    "reverse": { problem, shape in
      let axes = try problem.invocation.axes("axes", default: Array(shape.indices), rank: shape.count)
      var strides = rowMajorStrides(shape)
      var offset = 0
      guard !shape.contains(0) else { return CopyView(shape, strides) }
      for axis in axes {
        offset += (shape[axis] - 1) * strides[axis]
        strides[axis] = -strides[axis]
      }
      return CopyView(shape, strides, offset)
    },
    "sliding_windows": { problem, shape in
      let axis = try problem.invocation.axis("axis", rank: shape.count)
      var strides = rowMajorStrides(shape)
      strides.insert(strides[axis], at: axis + 1)
      strides[axis] *= try problem.invocation.int("stride", default: 1)
      return CopyView(try problem.outputSizes(), strides)
    },
    "tile": { problem, shape in
      let reps = try problem.invocation.repetitions()
      let strides = rowMajorStrides(shape)
      return CopyView(
        shape.indices.flatMap { [reps[$0], shape[$0]] }, shape.indices.flatMap { [0, strides[$0]] })
    },
    "depth_to_space": { problem, s in
      let b = try problem.invocation.int("block_size")
      return outOfDepth(s, b, part: s[1] / (b * b), channel: 1)
    },
    "pixel_shuffle": { problem, s in
      let f = try problem.invocation.int("upscale_factor")
      return outOfDepth(s, f, part: 1, channel: f * f)
    },
    "space_to_depth": { problem, s in
      let b = try problem.invocation.int("block_size")
      let t = rowMajorStrides(s)
      return CopyView([s[0], b, b, s[1], s[2] / b, s[3] / b], [t[0], t[2], t[3], t[1], b * t[2], b * t[3]])
    },
    "pixel_unshuffle": { problem, s in
      let f = try problem.invocation.int("downscale_factor")
      let t = rowMajorStrides(s)
      return CopyView([s[0], s[1], f, f, s[2] / f, s[3] / f], [t[0], t[1], t[2], t[3], f * t[2], f * t[3]])
    },
    "slice_by_index": { problem, shape in CopyView(slices: try problem.invocation.slices(of: shape), of: shape) },
    "slice_by_size": { problem, shape in CopyView(slices: try problem.invocation.slicesBySize(of: shape), of: shape) },
  ]

  static let all: [KernelImplementation] = rules.sorted { $0.key < $1.key }.map { operation, rule in
    KernelImplementation("copy", for: operation) { problem in
      let view = try problem.known { try rule(problem, problem.sizes("x")) }
      let copy = try StridedCopy(
        elementSize: problem.elementSize("x"), shape: view.shape, inStrides: view.strides,
        outStrides: rowMajorStrides(view.shape), inOffset: view.offset)
      var candidate = Candidate.copies([(try problem.slot("x"), 0, copy)])
      // Elements that do not stay adjacent are transposed lane by lane in vectors. Moving whole channel blocks is
      // faster.
      if operation == "transpose", view.shape.last != 1, view.strides.last != 1 { candidate.bandwidth = 0.8 }
      return candidate
    }
  }

  /// [n, c * f * f, h, w] as [n, c, h, f, w, f]. `part` and `channel` are the strides, in channels, of a position
  /// within the block and of an output channel.
  private static func outOfDepth(_ s: [Int], _ f: Int, part: Int, channel: Int) -> CopyView {
    let t = rowMajorStrides(s)
    return CopyView(
      [s[0], s[1] / (f * f), s[2], f, s[3], f],
      [t[0], channel * t[1], t[2], part * f * t[1], t[3], part * t[1]])
  }
}

/// A strided view of a tensor: sizes, strides and the offset of the first element.
struct CopyView {
  let shape: [Int]
  let strides: [Int]
  let offset: Int

  init(_ shape: [Int], _ strides: [Int], _ offset: Int = 0) {
    self.shape = shape
    self.strides = strides
    self.offset = offset
  }
}
