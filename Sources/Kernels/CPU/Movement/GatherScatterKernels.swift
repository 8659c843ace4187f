import CKernels
import MIL
import Synchronization

enum GatherScatterKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("gather.stored", for: "gather") { try StoredTable(gather: $0).candidate },
    KernelImplementation("gather", for: "gather") { problem in
      let x = try problem.sizes("x")
      let axis = try problem.invocation.axis("axis", default: 0, rank: x.count)
      let batchDims = try problem.invocation.int("batch_dims", default: 0)
      let indices = try IndexReader(problem, "indices")
      let bounds = try indexBounds(problem)
      let (size, slot) = (try problem.elementSize("x"), try problem.slot("x"))
      let batch = x[..<batchDims].reduce(1, *)
      let count = try problem.sizes("indices")[batchDims...].reduce(1, *)
      let outer = x[batchDims..<axis].reduce(1, *)
      let (extent, inner) = (x[axis], x[(axis + 1)...].reduce(1, *))
      let grain = max(1, (1 << 14) / max(inner, 1))
      return .cpu(efficiency: 1, scratchBytes: indices.scratchBytes) { frame in
        let indices = indices.read(frame)
        let (source, target) = (frame.inputs[slot], frame.outputs[0])
        let fault = IndexFault()
        for b in 0..<batch {
          let picks = indices + b * count
          let from = source + b * outer * extent * inner * size
          let to = target + b * outer * count * inner * size
          if outer == 1 {
            frame.pool.run(count, grain: grain) { range in
              fault.note(
                ck_gather(
                  bounds, size, from, picks + range.lowerBound, to + range.lowerBound * inner * size, 1,
                  extent,
                  inner, range.count))
            }
          } else {
            frame.pool.run(outer, grain: max(1, grain / max(count, 1))) { range in
              fault.note(
                ck_gather(
                  bounds, size, from + range.lowerBound * extent * inner * size, picks,
                  to + range.lowerBound * count * inner * size, range.count, extent, inner, count))
            }
          }
        }
        try fault.check(problem, [extent])
      }
    },
    KernelImplementation("gather", for: "gather_along_axis") { problem in
      let x = try problem.sizes("x")
      let axis = try problem.invocation.axis("axis", default: 0, rank: x.count)
      let indices = try IndexReader(problem, "indices")
      let bounds = try indexBounds(problem)
      let count = try problem.sizes("indices")[axis]
      let (size, slot) = (try problem.elementSize("x"), try problem.slot("x"))
      let (outer, extent, inner) = (x[..<axis].reduce(1, *), x[axis], x[(axis + 1)...].reduce(1, *))
      return .cpu(efficiency: 1, scratchBytes: indices.scratchBytes) { frame in
        let indices = indices.read(frame)
        let (source, target) = (frame.inputs[slot], frame.outputs[0])
        let fault = IndexFault()
        frame.pool.run(outer, grain: max(1, (1 << 13) / max(count * inner, 1))) { range in
          let place = range.lowerBound * count * inner
          fault.note(
            ck_gather_along_axis(
              bounds, size, source + range.lowerBound * extent * inner * size, indices + place,
              target + place * size, range.count, extent, inner, count))
        }
        try fault.check(problem, [extent])
      }
    },
    KernelImplementation("gather", for: "gather_nd") { problem in
      let x = try problem.sizes("x")
      let shape = try problem.sizes("indices")
      let batchDims = try problem.invocation.int("batch_dims", default: 0)
      let indices = try IndexReader(problem, "indices")
      let bounds = try indexBounds(problem)
      let (size, slot) = (try problem.elementSize("x"), try problem.slot("x"))
      let depth = shape[shape.count - 1]
      let batch = x[..<batchDims].reduce(1, *)
      let axes = Array(x[batchDims..<(batchDims + depth)])
      let inner = x[(batchDims + depth)...].reduce(1, *)
      let extent = axes.reduce(1, *) * inner
      let count = shape[batchDims...].dropLast().reduce(1, *)
      return .cpu(efficiency: 1, scratchBytes: indices.scratchBytes) { frame in
        let indices = indices.read(frame)
        let (source, target) = (frame.inputs[slot], frame.outputs[0])
        let fault = IndexFault()
        for b in 0..<batch {
          frame.pool.run(count, grain: max(1, (1 << 13) / max(inner, 1))) { range in
            let row = b * count + range.lowerBound
            fault.note(
              ck_gather_nd(
                bounds, size, source + b * extent * size, depth, axes, inner, indices + row * depth,
                range.count,
                target + row * inner * size))
          }
        }
        try fault.check(problem, axes)
      }
    },
    KernelImplementation("scatter", for: "scatter") { problem in
      let data = try problem.sizes("data")
      let axis = try problem.invocation.axis("axis", default: 0, rank: data.count)
      let count = try problem.sizes("indices").reduce(1, *)
      let (outer, extent, inner) = (data[..<axis].reduce(1, *), data[axis], data[(axis + 1)...].reduce(1, *))
      return try scatterCandidate(problem, [extent]) { mode, bounds, target, indices, updates in
        switch target {
        case .floats(let data):
          ck_scatter_f32(
            mode, bounds, data, indices, updates.assumingMemoryBound(to: Float.self), outer, extent, inner,
            count)
        case .integers(let data):
          ck_scatter_i32(
            mode, bounds, data, indices, updates.assumingMemoryBound(to: Int32.self), outer, extent, inner,
            count)
        }
      }
    },
    KernelImplementation("scatter", for: "scatter_along_axis") { problem in
      let data = try problem.sizes("data")
      let axis = try problem.invocation.axis("axis", default: 0, rank: data.count)
      let count = try problem.sizes("indices")[axis]
      let (outer, extent, inner) = (data[..<axis].reduce(1, *), data[axis], data[(axis + 1)...].reduce(1, *))
      return try scatterCandidate(problem, [extent]) { mode, bounds, target, indices, updates in
        switch target {
        case .floats(let data):
          ck_scatter_along_axis_f32(
            mode, bounds, data, indices, updates.assumingMemoryBound(to: Float.self), outer, extent, inner,
            count)
        case .integers(let data):
          ck_scatter_along_axis_i32(
            mode, bounds, data, indices, updates.assumingMemoryBound(to: Int32.self), outer, extent, inner,
            count)
        }
      }
    },
    KernelImplementation("scatter", for: "scatter_nd") { problem in
      let data = try problem.sizes("data")
      let shape = try problem.sizes("indices")
      let depth = shape[shape.count - 1]
      let axes = Array(data[..<depth])
      let inner = data[depth...].reduce(1, *)
      let count = shape.dropLast().reduce(1, *)
      return try scatterCandidate(problem, axes) { mode, bounds, target, indices, updates in
        switch target {
        case .floats(let data):
          ck_scatter_nd_f32(
            mode, bounds, data, depth, axes, inner, indices, count, updates.assumingMemoryBound(to: Float.self)
          )
        case .integers(let data):
          ck_scatter_nd_i32(
            mode, bounds, data, depth, axes, inner, indices, count, updates.assumingMemoryBound(to: Int32.self)
          )
        }
      }
    },
  ]

  private static func indexBounds(_ problem: KernelProblem) throws -> ck_bounds {
    try problem.invocation.takesNegativeIndices() ? CK_BOUNDS_CHECK : CK_BOUNDS_STRICT
  }

  private enum ScatterTarget {
    case floats(UnsafeMutablePointer<Float>)
    case integers(UnsafeMutablePointer<Int32>)
  }

  /// Copies `data` to the output, unless both share memory, then applies the updates in order on one thread.
  private static func scatterCandidate(
    _ problem: KernelProblem, _ axes: [Int],
    _ run:
      @escaping @Sendable (ck_scatter_mode, ck_bounds, ScatterTarget, UnsafePointer<Int32>, UnsafeRawPointer) -> Int
  ) throws -> Candidate {
    let type = try problem.invocation.tensor("data")
    guard type.scalar == .float32 || type.scalar == .int32 else { throw Refusal("the kernel takes fp32 and int32") }
    let isFloat = type.scalar == .float32
    let mode: ck_scatter_mode =
      switch try problem.invocation.scatterMode() {
      case .update: CK_SCATTER_UPDATE
      case .add: CK_SCATTER_ADD
      case .sub: CK_SCATTER_SUB
      case .mul: CK_SCATTER_MUL
      case .div: CK_SCATTER_DIV
      case .max: CK_SCATTER_MAX
      case .min: CK_SCATTER_MIN
      }
    let indices = try IndexReader(problem, "indices")
    let bounds = try indexBounds(problem)
    let (data, updates) = (try problem.slot("data"), try problem.slot("updates"))
    let whole = try StridedCopy.whole(type)
    return .cpu(efficiency: 1, scratchBytes: indices.scratchBytes, inPlace: [data]) { frame in
      if UnsafeRawPointer(frame.outputs[0]) != frame.inputs[data] {
        whole(from: frame.inputs[data], to: frame.outputs[0], pool: frame.pool)
      }
      let target: ScatterTarget = isFloat ? .floats(frame.output()) : .integers(frame.output())
      let fault = IndexFault()
      fault.note(run(mode, bounds, target, indices.read(frame), frame.inputs[updates]))
      try fault.check(problem, axes)
    }
  }
}

/// Records from any thread whether a kernel met an index outside of its axis.
private struct IndexFault: ~Copyable {
  private let isSet = Atomic<Bool>(false)

  func note(_ result: Int) {
    if result != CK_INDICES_VALID { isSet.store(true, ordering: .relaxed) }
  }

  func check(_ problem: KernelProblem, _ axes: @autoclosure () -> [Int]) throws {
    guard isSet.load(ordering: .relaxed) else { return }
    throw KernelError(
      .invalidInput, "\(problem.invocation.operation.label): an index is outside of the axes of \(axes()) elements")
  }
}
