import CKernels
import MIL

/// Operations on bytes between matrix products.
enum QuantizedElements {
  private static let grain = 1 << 16

  /// The sum of two tensors of the same shape and type, in int8 NCHWc or dense.
  static func add(_ problem: KernelProblem, inBlocks: Bool) throws -> Candidate {
    try Int8Blocks.require()
    let sizes = try problem.sizes("x")
    guard try sizes == problem.sizes("y"), try problem.scalar("x") == problem.scalar("y") else {
      throw Refusal("'x' and 'y' differ")
    }
    let (x, y) = (try problem.slot("x"), try problem.slot("y"))
    guard problem.has("scale"), try problem.resultScalar() == problem.scalar("x"),
      try inBlocks || problem.invocation.scalarType("output_dtype") == problem.scalar("x")
    else {
      throw Refusal("the result has no scale, or another type than 'x'")
    }
    let (first, second, result) = (
      try Int8Scale(problem, of: "x"), try Int8Scale(problem, of: "y"), try Int8Scale(problem, of: "")
    )
    let steps = try result.steps(FusedActivation(problem.invocation), Int8Table(problem))
    let shift = (Double(first.low) * first.scale + Double(second.low) * second.scale) / result.scale
    let sum = ck_int8_sum(
      scale_x: Float(first.scale / result.scale), scale_y: Float(second.scale / result.scale), shift: Float(shift))
    let (count, flip): (Int, UInt8)
    if inBlocks {
      let shape = try Blocks.shape(sizes)
      (count, flip) = (shape.images * Int8Blocks.padded(shape.channels) * shape.area, 0)
    } else {
      (count, flip) = (sizes.reduce(1, *), try Int8Blocks.flip(problem.scalar("x")))
    }
    let candidate = Candidate(
      efficiency: 0.1, inPlace: [x, y], work: Work(flops: Double(2 * count), bytes: Double(3 * count))
    ) {
      .cpu { frame in
        let (first, second) = (frame.input(x, as: UInt8.self), frame.input(y, as: UInt8.self))
        let target = frame.output(0, as: UInt8.self)
        frame.pool.run(count, grain: grain) { range in
          ck_int8_add(
            first + range.lowerBound, second + range.lowerBound, flip, sum, steps.steps, target + range.lowerBound,
            range.count)
        }
      }
    }
    return inBlocks ? candidate.byteBlocked([x, y]) : candidate
  }

  /// Applies a lookup table to every byte.
  static func lookup(_ problem: KernelProblem, inBlocks: Bool) throws -> Candidate {
    try Int8Blocks.require()
    let (x, sizes) = (try problem.slot("x"), try problem.sizes("x"))
    guard let table = try Int8Table(problem) else { throw Refusal("there is no table") }
    let flips =
      inBlocks ? (0, 0) : (Int8Blocks.flip(try problem.scalar("x")), Int8Blocks.flip(try problem.resultScalar()))
    let count: Int
    if inBlocks {
      let shape = try Blocks.shape(sizes)
      count = shape.images * Int8Blocks.padded(shape.channels) * shape.area
    } else {
      count = sizes.reduce(1, *)
    }
    let candidate = Candidate(efficiency: 0.1, inPlace: [x], work: Work(flops: Double(count), bytes: Double(2 * count)))
    {
      .cpu { frame in
        let (source, target) = (frame.input(x, as: UInt8.self), frame.output(0, as: UInt8.self))
        frame.pool.run(count, grain: grain) { range in
          ck_int8_lookup(
            source + range.lowerBound, flips.0, table.pointer, flips.1, target + range.lowerBound, range.count)
        }
      }
    }
    return inBlocks ? candidate.byteBlocked([x]) : candidate
  }

  /// Maximum pooling. Every window must contain a part of the input.
  static func maxPool(_ problem: KernelProblem) throws -> Candidate {
    try Int8Blocks.require()
    let scalar = try problem.scalar("x")
    guard scalar == .int8 || scalar == .uint8 else { throw Refusal("'x' is \(scalar.rawValue), not bytes") }
    let g = try Pooling.geometry(problem.invocation).straightened
    guard !g.isEmpty else { throw Refusal("the pool is empty") }
    let window = try BlockedWindow(g, threads: max(problem.threads, 1), size: Int8Blocks.size)
    let x = try problem.slot("x")
    return Candidate.cpu(efficiency: 0.2) { frame in
      let (input, output) = (frame.input(x, as: UInt8.self), frame.output(0, as: UInt8.self))
      window.run(frame) { blocks, rows, from, to, _ in
        var shape = g.window
        ck_int8_max_pool(
          &shape, input + from, output + to, blocks.lowerBound, blocks.upperBound, rows.lowerBound, rows.upperBound)
      }
    }.byteBlocked([x])
  }

  /// Converts fp32 NCHWc to int8 NCHWc (`quantize`), or back.
  static func convert(_ problem: KernelProblem) throws -> Candidate {
    try Int8Blocks.require()
    let isToBytes = problem.operation == "quantize"
    let shape = try Blocks.shape(problem.sizes("input"))
    let input = try problem.slot("input")
    guard try isToBytes ? problem.scalar("input") == .float32 : problem.resultScalar() == .float32 else {
      throw Refusal("not of single precision")
    }
    let (scales, zeros) = (
      try problem.constant("scale").doubles(),
      problem.has("zero_point") ? try problem.constant("zero_point").doubles() : [0]
    )
    guard scales.count == 1, zeros.count == 1 else { throw Refusal("more scales than one") }
    let scale = try Int8Scale(
      isToBytes ? problem.resultScalar() : problem.scalar("input"), scale: scales[0], zero: zeros[0])
    let steps = Int8Quantization(low: scale.low, least: scale.low, greatest: scale.low + 255, table: nil)
    let (floats, bytes) = (Blocks.padded(shape.channels) * shape.area, Int8Blocks.padded(shape.channels) * shape.area)
    let blocks = Chunks(Int8Blocks.count(shape.channels), of: max(grain / (shape.area * Int8Blocks.size), 1))
    var candidate = Candidate.cpu(efficiency: 0.1) { frame in
      frame.pool.run(shape.images * blocks.count) { items in
        for item in items {
          let (number, range) = (item / blocks.count, blocks[item % blocks.count])
          if isToBytes {
            ck_int8_quantize(
              frame.input(input, as: Float.self) + number * floats, shape.channels, shape.area, Float(scale.scale),
              steps.steps,
              frame.output(0, as: UInt8.self) + number * bytes, range.lowerBound, range.upperBound)
          } else {
            ck_int8_dequantize(
              frame.input(input, as: UInt8.self) + number * bytes, shape.channels, shape.area, Float(scale.scale),
              scale.low,
              frame.output(0, as: Float.self) + number * floats, range.lowerBound, range.upperBound)
          }
        }
      }
    }
    candidate.takes[input] = isToBytes ? Blocks.layout : Int8Blocks.layout
    candidate.gives[0] = isToBytes ? Int8Blocks.layout : Blocks.layout
    return candidate
  }
}
