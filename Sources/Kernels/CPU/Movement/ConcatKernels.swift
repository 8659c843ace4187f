import CKernels
import MIL

enum ConcatKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("copy", for: "concat") { problem in
      let slots = problem.slots("values")
      let shape = try problem.outputSizes()
      let axis = try problem.sizes("values").isEmpty ? 0 : problem.invocation.axis("axis", rank: shape.count)
      let isInterleaved = try problem.invocation.bool("interleave", default: false)
      let strides = rowMajorStrides(shape)
      var begin = 0
      return Candidate.copies(
        try slots.enumerated().map { index, slot in
          var part = try problem.sizes("values", index)
          if part.isEmpty { part = [1] }
          var out = strides
          let offset = (isInterleaved ? index : begin) * strides[axis]
          if isInterleaved { out[axis] *= slots.count }
          begin += part[axis]
          let copy = try StridedCopy(
            elementSize: problem.elementSize("values", index), shape: part, inStrides: rowMajorStrides(part),
            outStrides: out, outOffset: offset)
          return (slot, 0, copy)
        })
    },
    KernelImplementation("copy", for: "stack") { problem in
      let shape = try problem.outputSizes()
      let axis = try problem.invocation.axis("axis", rank: shape.count)
      var strides = rowMajorStrides(shape)
      let step = strides.remove(at: axis)
      return Candidate.copies(
        try problem.slots("values").enumerated().map { index, slot in
          let part = try problem.sizes("values", index)
          let copy = try StridedCopy(
            elementSize: problem.elementSize("values", index), shape: part, inStrides: rowMajorStrides(part),
            outStrides: strides, outOffset: index * step)
          return (slot, 0, copy)
        })
    },
    KernelImplementation("copy", for: "split") { problem in
      let shape = try problem.sizes("x")
      let axis = try problem.invocation.axis("axis", rank: shape.count)
      let strides = rowMajorStrides(shape)
      let (slot, size) = (try problem.slot("x"), try problem.elementSize("x"))
      var begin = 0
      return Candidate.copies(
        try problem.outputs.indices.map { output in
          let part = try problem.outputSizes(output)
          defer { begin += part[axis] }
          let copy = try StridedCopy(
            elementSize: size, shape: part, inStrides: strides, outStrides: rowMajorStrides(part),
            inOffset: begin * strides[axis])
          return (slot, output, copy)
        })
    },
    KernelImplementation("pad", for: "pad") { problem in
      let shape = try problem.sizes("x")
      let type = try problem.invocation.tensor("x")
      let size = try problem.elementSize("x")
      let (before, after) = try problem.known { try problem.invocation.padding(of: type.shape) }
      guard shape.count <= CK_MAX_RANK else {
        throw Refusal("the kernel takes \(CK_MAX_RANK) axes")
      }
      try problem.requireMirroredOnce(shape, before, after)
      let mode: ck_pad_mode =
        switch try problem.invocation.padMode() {
        case .constant: CK_PAD_CONSTANT
        case .reflect: CK_PAD_REFLECT
        case .replicate: CK_PAD_REPLICATE
        }
      let value = try problem.known {
        try problem.has("constant_val") ? problem.invocation.constant("constant_val") : Tensor(float32: [0], shape: [])
      }.converted(to: type.scalar)
      guard value.count == 1 else { throw Refusal("'constant_val' is not one value") }
      // Leading axes without padding are distributed over threads.
      let lead = shape.indices.prefix { before[$0] == 0 && after[$0] == 0 }.count
      let outer = shape[..<lead].reduce(1, *)
      let rest = [1] + shape[lead...]
      let (left, right) = ([0] + before[lead...], [0] + after[lead...])
      let inner = rest.reduce(1, *) * size
      let padded = rest.indices.reduce(1) { $0 * (rest[$1] + left[$1] + right[$1]) } * size
      let slot = try problem.slot("x")
      guard rest.count <= CK_MAX_RANK, padded > 0, outer > 0 else {
        throw Refusal("there is nothing to pad, or there are too many axes")
      }
      return .cpu(efficiency: 1) { frame in
        let (source, target) = (frame.inputs[slot], frame.outputs[0])
        frame.pool.run(outer, grain: max(1, (1 << 16) / padded)) { range in
          withUnsafeTemporaryAllocation(of: Int.self, capacity: rest.count) { sizes in
            for index in rest.indices { sizes[index] = index == 0 ? range.count : rest[index] }
            guard let sizes = sizes.baseAddress else { return }
            _ = ck_pad(
              mode, size, rest.count, sizes, left, right, value.storage.pointer, source + range.lowerBound * inner,
              target + range.lowerBound * padded)
          }
        }
      }
    },
  ]
}

extension KernelProblem {
  /// Refuses reflections longer than the axis, which would reflect repeatedly.
  func requireMirroredOnce(_ shape: [Int], _ before: [Int], _ after: [Int]) throws {
    guard try invocation.padMode() == .reflect else { return }
    for axis in shape.indices where before[axis] + after[axis] > 0 {
      guard max(before[axis], after[axis]) < shape[axis] else { throw Refusal("the reflection goes to and fro") }
    }
  }
}
