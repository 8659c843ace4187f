import CKernels
import MIL

/// A product of steps by whole numbers, which takes bytes and sums of 32 bits: activations that were quantised before it, by weights
/// that are stored so.
struct Int8Gemm: Sendable {
  /// One over the step of the input.
  let inverse: Float
  /// The least multiple that the input has: bytes are counted from it.
  let low: Int32
  let weights: StoredWeight
  private let scales: [Float]
  private let step: Double
  private let depth: Int

  init(_ problem: KernelProblem, outputs: Int, depth: Int) throws {
    guard problem.has("x_step"), let step = try? problem.invocation.double("x_step", default: 0), step > 0,
      step.isFinite,
      let low = try? problem.invocation.double("x_low", default: 1), (-255...0).contains(low), low.rounded() == low
    else { throw Refusal("'x' is not known to be steps") }
    try self.init(step: step, low: Int32(low), problem.weight("weight"), outputs: outputs, depth: depth)
  }

  /// Of an input whose numbers are multiples of `step`, the least of which is `low`.
  init(step: Double, low: Int32, _ weight: StoredWeight, outputs: Int, depth: Int) throws {
    guard ck_int8_supported() else { throw Refusal("the processor has no products of bytes") }
    // Else a sum of products of bytes may not fit 32 bits.
    guard (1...1 << 16).contains(depth) else { throw Refusal("sums of more than 65,536 products, or of none") }
    guard let whole = Int8Matrix(weight, rows: outputs) else {
      throw Refusal("the weights are not whole numbers of eight bits, scaled by one number an output")
    }
    (inverse, self.low, weights, scales) = (Float(1 / step), low, whole.numbers, whole.scales)
    (self.step, self.depth) = (step, depth)
    guard inverse.isFinite, inverse > 0 else { throw Refusal("the steps of 'x' are too small") }
  }

  /// What sums begin with and are multiplied by, padded to whole blocks.
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

  /// What the sum of an output is multiplied by.
  func factor(_ row: Int) -> Double { step * Double(scales[row]) }

  /// What the sums of all outputs begin with, into memory of zeros.
  func start(_ starts: UnsafeMutablePointer<Int32>) throws {
    guard low != 0 else { return }
    let window = try WeightWindow(weights, width: depth, capacity: depth)
    for row in scales.indices {
      window.read(row..<row + 1, 0..<depth) { numbers, _ in
        // Whole numbers of eight bits: a float holds the sum of 65,536 of them, and every sum on the way.
        starts[row] = low * Int32((0..<depth).reduce(Float(0)) { $0 + numbers[$1] })
      }
    }
  }
}
