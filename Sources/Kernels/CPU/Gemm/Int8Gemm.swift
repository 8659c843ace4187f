import CKernels
import MIL

/// An int8 matrix product with int32 accumulators: quantized activations times int8 weights.
struct Int8Gemm: Sendable {
  /// One over the quantization scale of the input.
  let inverse: Float
  /// The least quantized value of the input. Activations are stored as uint8 values relative to it.
  let low: Int32
  let weights: StoredWeight
  private let scales: [Float]
  private let step: Double
  private let depth: Int

  init(_ problem: KernelProblem, outputs: Int, depth: Int) throws {
    guard problem.has("x_step"), let step = try? problem.invocation.double("x_step", default: 0), step > 0,
      step.isFinite,
      let low = try? problem.invocation.double("x_low", default: 1), (-255...0).contains(low), low.rounded() == low
    else { throw Refusal("'x' is not known to be quantized") }
    try self.init(step: step, low: Int32(low), problem.weight("weight"), outputs: outputs, depth: depth)
  }

  /// For an input whose elements are multiples of `step`, from `low * step` on.
  init(step: Double, low: Int32, _ weight: StoredWeight, outputs: Int, depth: Int) throws {
    guard ck_int8_supported() else { throw Refusal("the processor has no int8 dot products") }
    // Beyond this K an int32 accumulator may overflow.
    guard (1...1 << 16).contains(depth) else { throw Refusal("the inner dimension is 0 or more than 65,536") }
    guard let whole = Int8Matrix(weight, rows: outputs) else {
      throw Refusal("the weights are not int8 with one scale for each output")
    }
    (inverse, self.low, weights, scales) = (Float(1 / step), low, whole.numbers, whole.scales)
    (self.step, self.depth) = (step, depth)
    guard inverse.isFinite, inverse > 0 else { throw Refusal("the quantization scale of 'x' is too small") }
  }

  /// Initial accumulators and output scales, padded to whole blocks.
  struct Sums: Sendable {
    fileprivate let memory: PackedMemory
    fileprivate let count: Int

    func with(_ body: (UnsafePointer<ck_integer_sums>) -> Void) {
      let starts = memory.pointer.assumingMemoryBound(to: Int32.self)
      let scales = (memory.pointer + 4 * count).assumingMemoryBound(to: Float.self)
      var sums = ck_integer_sums(starts: starts, scales: scales)
      withExtendedLifetime(memory) { body(&sums) }
    }
  }

  func sums() throws -> Sums {
    let count = Blocks.padded(scales.count)
    let memory = try PackedMemory.filled(byteCount: 8 * count) { bytes in
      guard let base = bytes.baseAddress else { return }
      let factors = (base + 4 * count).assumingMemoryBound(to: Float.self)
      for row in scales.indices { factors[row] = Float(factor(row)) }
      try start(base.assumingMemoryBound(to: Int32.self))
    }
    return Sums(memory: memory, count: count)
  }

  /// The scale of an output's accumulator.
  func factor(_ row: Int) -> Double { step * Double(scales[row]) }

  /// Writes the initial accumulators of all outputs (the zero-point correction) into zeroed memory.
  func start(_ starts: UnsafeMutablePointer<Int32>) throws {
    guard low != 0 else { return }
    let window = try WeightWindow(weights, width: depth, capacity: depth)
    for row in scales.indices {
      window.read(row..<row + 1, 0..<depth) { numbers, _ in
        // fp32 holds the sum of 65,536 int8 values, and every partial sum, exactly.
        starts[row] = low * Int32((0..<depth).reduce(Float(0)) { $0 + numbers[$1] })
      }
    }
  }
}
