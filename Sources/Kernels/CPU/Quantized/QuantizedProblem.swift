import CKernels
import MIL

/// A convolution of int8 or uint8 inputs by constant int8 weights, as its kernels see it.
struct QuantizedProblem: Sendable {
  /// The quantization of byte results.
  struct Result: Sendable {
    let scale: Int8Scale
    let steps: Int8Quantization
  }

  let geometry: WindowGeometry
  let window: ck_window
  let x: Int
  let weight: Int
  let scale: Int8Scale
  /// The XOR mask that makes dense input bytes unsigned.
  let flip: UInt8
  let product: Int8Gemm
  let epilogue: Epilogue
  /// Nil for fp32 results.
  let result: Result?
  let threads: Int
  private let bias: [Double]?

  init(_ problem: KernelProblem) throws {
    try Int8Blocks.require()
    try problem.requireScalar(.float32, of: ["weight", "bias", "add"])
    geometry = try Convolution.geometry(problem.invocation).straightened
    guard !geometry.isEmpty else { throw Refusal("the convolution is empty") }
    window = geometry.window
    (x, weight) = (try problem.slot("x"), try problem.slot("weight"))
    scale = try Int8Scale(problem, of: "x")
    flip = try Int8Blocks.flip(problem.scalar("x"))
    product = try Int8Gemm(
      step: scale.scale, low: scale.low, problem.weight("weight"), outputs: geometry.outChannels,
      depth: geometry.inChannels / geometry.groups * geometry.kernelArea)
    epilogue = try Epilogue(problem)
    threads = max(problem.threads, 1)
    guard problem.has("scale") else {
      (result, bias) = (nil, nil)
      return
    }
    guard epilogue.add == nil else { throw Refusal("the residual input is fp32, but the result is int8 or uint8") }
    let own = try Int8Scale(problem, of: "")
    result = Result(scale: own, steps: try own.steps(FusedActivation(problem.invocation), Int8Table(problem)))
    bias = problem.has("bias") ? try problem.constant("bias").doubles() : nil
  }

  /// Initial accumulators and their output scales and shifts, padded to whole int8 blocks.
  struct Int8Accumulators: Sendable {
    fileprivate let memory: PackedMemory
    fileprivate let count: Int

    func with(_ body: (UnsafePointer<ck_int8_accumulators>) -> Void) {
      let starts = memory.pointer.assumingMemoryBound(to: Int32.self)
      let scales = (memory.pointer + 4 * count).assumingMemoryBound(to: Float.self)
      var sums = ck_int8_accumulators(starts: starts, scales: scales, shifts: scales + count)
      withExtendedLifetime(memory) { body(&sums) }
    }
  }

  func byteSums(_ result: Result) throws -> Int8Accumulators {
    let (channels, count) = (geometry.outChannels, Int8Blocks.padded(geometry.outChannels))
    let memory = try PackedMemory.filled(byteCount: 12 * count) { bytes in
      guard let base = bytes.baseAddress else { return }
      let factors = (base + 4 * count).assumingMemoryBound(to: Float.self)
      for channel in 0..<channels {
        factors[channel] = Float(product.factor(channel) / result.scale.scale)
        if let bias { factors[count + channel] = Float(bias[channel] / result.scale.scale) }
      }
      try product.start(base.assumingMemoryBound(to: Int32.self))
    }
    return Int8Accumulators(memory: memory, count: count)
  }
}
