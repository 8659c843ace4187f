import CKernels
import MIL

enum CreationKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("fill", for: ["fill", "fill_like"]) { problem in
      let shape = try problem.outputSizes()
      let count = shape.reduce(1, *)
      guard problem.has("value") else {
        return .cpu(efficiency: 1) { frame in frame.output(0, as: Float.self).initialize(repeating: 0, count: count) }
      }
      let copy = try StridedCopy(
        elementSize: problem.elementSize("value"), shape: [count], inStrides: [0], outStrides: [1])
      return Candidate.copies([(try problem.slot("value"), 0, copy)])
    },
    KernelImplementation("loop", for: "one_hot") { problem in
      guard problem.outputs[0].scalar.bitWidth == 32 else { throw Refusal("the kernel gives 32-bit elements") }
      let scalar = problem.outputs[0].scalar
      let shape = try problem.outputSizes()
      let axis = try problem.invocation.axis("axis", default: -1, rank: shape.count)
      let indices = try IndexReader(problem, "indices")
      func word(_ name: String, _ fallback: Double) throws -> UInt32 {
        let value = try problem.known { try problem.invocation.double(name, default: fallback) }
        return try Tensor(scalar, shape: [], doubles: [value]).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
      }
      let (on, off) = (try word("on_value", 1), try word("off_value", 0))
      let outer = shape[..<axis].reduce(1, *)
      let (size, inner) = (shape[axis], shape[(axis + 1)...].reduce(1, *))
      return .cpu(efficiency: 1, scratchBytes: indices.scratchBytes) { frame in
        let indices = indices.read(frame)
        let target = frame.output(0, as: UInt32.self)
        target.initialize(repeating: off, count: outer * size * inner)
        for o in 0..<outer {
          for i in 0..<inner {
            let hot = Int(indices[o * inner + i])
            if hot >= 0 && hot < size { target[(o * size + hot) * inner + i] = on }
          }
        }
      }
    },
    KernelImplementation("loop", for: "non_zero") { problem in
      let x = try problem.invocation.tensor("x")
      let shape = try problem.sizes("x")
      let (size, rank, slot) = (try problem.elementSize("x"), shape.count, try problem.slot("x"))
      guard x.scalar == .float32 || x.scalar == .int32 || x.scalar == .bool else {
        throw Refusal("the kernel takes fp32, int32 and bool")
      }
      let rows = try problem.outputSizes()[0]
      let count = shape.reduce(1, *)
      // Negative zero counts as zero.
      let mask: UInt32 = x.scalar == .float32 ? 0x7fff_ffff : .max
      return .cpu(efficiency: 1) { frame in
        let source = frame.inputs[slot]
        var target = frame.output(0, as: Int32.self)
        var found = 0
        for place in 0..<count {
          let isSet =
            size == 1
            ? source.load(fromByteOffset: place, as: UInt8.self) != 0
            : source.load(fromByteOffset: place * 4, as: UInt32.self) & mask != 0
          guard isSet, found < rows else { continue }
          var rest = place
          for axis in stride(from: rank - 1, through: 0, by: -1) {
            target[axis] = Int32(truncatingIfNeeded: rest % shape[axis])
            rest /= shape[axis]
          }
          target += rank
          found += 1
        }
        guard found == rows else {
          throw KernelError(.invalidInput, "\(problem.invocation.operation.label): the number of non-zeros changed")
        }
      }
    },
    KernelImplementation("rows", for: "band_part") { problem in
      let shape = try problem.sizes("x")
      let (size, slot) = (try problem.elementSize("x"), try problem.slot("x"))
      let (height, width) = (shape[shape.count - 2], shape[shape.count - 1])
      let (lower, upper) = try problem.known {
        (try problem.invocation.int("lower", default: -1), try problem.invocation.int("upper", default: -1))
      }
      let rows = shape.dropLast().reduce(1, *)
      return .cpu(efficiency: 1) { frame in
        let (source, target) = (frame.inputs[slot], frame.outputs[0])
        frame.pool.run(rows, grain: max(1, (1 << 16) / max(width * size, 1))) { range in
          for row in range {
            let line = row % height
            let begin = lower < 0 || lower > line ? 0 : min(line - lower, width)
            let end = upper < 0 || upper >= width - line ? width : max(begin, min(line + upper + 1, width))
            let to = target + row * width * size
            to.initializeMemory(as: UInt8.self, repeating: 0, count: begin * size)
            (to + begin * size).copyMemory(from: source + (row * width + begin) * size, byteCount: (end - begin) * size)
            (to + end * size).initializeMemory(as: UInt8.self, repeating: 0, count: (width - end) * size)
          }
        }
      }
    },
  ]
}
