import CKernels
import MIL

extension KernelTable {
  static let makingRows: [Row] = [
    Row("fill", for: ["fill", "fill_like"]) { site in
      let shape = try site.outputSizes()
      let count = shape.reduce(1, *)
      guard site.has("value") else {
        return .cpu(efficiency: 1) { frame in frame.output(0, as: Float.self).initialize(repeating: 0, count: count) }
      }
      let copy = try StridedCopy(
        elementSize: site.elementSize("value"), shape: [count], inStrides: [0], outStrides: [1])
      return site.copies([(try site.slot("value"), 0, copy)])
    },
    Row("loop", for: "one_hot") { site in
      guard site.outputs[0].scalar.bitWidth == 32 else { throw Refusal("the kernel gives 32-bit elements") }
      let scalar = site.outputs[0].scalar
      let shape = try site.outputSizes()
      let axis = try site.invocation.axis("axis", default: -1, rank: shape.count)
      let indices = try IndexReader(site, "indices")
      func word(_ name: String, _ fallback: Double) throws -> UInt32 {
        let value = try site.known { try site.invocation.double(name, default: fallback) }
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
    Row("loop", for: "non_zero") { site in
      let x = try site.invocation.tensor("x")
      let shape = try site.sizes("x")
      let (size, rank, slot) = (try site.elementSize("x"), shape.count, try site.slot("x"))
      guard x.scalar == .float32 || x.scalar == .int32 || x.scalar == .bool else {
        throw Refusal("the kernel takes fp32, int32 and bool")
      }
      let rows = try site.outputSizes()[0]
      let count = shape.reduce(1, *)
      // A negative zero is a zero too.
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
          throw KernelError(.invalidInput, "\(site.invocation.operation.label): the number of non-zeros changed")
        }
      }
    },
    Row("rows", for: "band_part") { site in
      let shape = try site.sizes("x")
      let (size, slot) = (try site.elementSize("x"), try site.slot("x"))
      let (height, width) = (shape[shape.count - 2], shape[shape.count - 1])
      let (lower, upper) = try site.known {
        (try site.invocation.int("lower", default: -1), try site.invocation.int("upper", default: -1))
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
