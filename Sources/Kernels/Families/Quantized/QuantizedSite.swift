import CKernels
import MIL

/// A convolution of bytes by constant whole numbers, as its rows see it.
struct QuantizedSite: Sendable {
  /// What results become where they are bytes.
  struct Result: Sendable {
    let scale: ByteScale
    let steps: ByteSteps
  }

  let geometry: WindowGeometry
  let window: ck_window
  let x: Int
  let weight: Int
  let scale: ByteScale
  /// What makes bytes of the input that lie dense bytes without a sign.
  let flip: UInt8
  let product: WholeProduct
  let epilogue: Epilogue
  /// Nil where results are floats.
  let result: Result?
  let threads: Int
  private let bias: [Double]?

  init(_ site: Site) throws {
    try ByteBlocks.require()
    try site.requireScalar(.float32, of: ["weight", "bias", "add"])
    geometry = try Convolution.geometry(site.invocation).straightened
    guard !geometry.isEmpty else { throw Refusal("the convolution is empty") }
    window = geometry.window
    (x, weight) = (try site.slot("x"), try site.slot("weight"))
    scale = try ByteScale(site, of: "x")
    flip = try ByteBlocks.flip(site.scalar("x"))
    product = try WholeProduct(
      step: scale.scale, low: scale.low, site.weight("weight"), outputs: geometry.outChannels,
      depth: geometry.inChannels / geometry.groups * geometry.kernelArea)
    epilogue = try Epilogue(site)
    threads = max(site.threads, 1)
    guard site.has("scale") else {
      (result, bias) = (nil, nil)
      return
    }
    guard epilogue.add == nil else { throw Refusal("what is added is floats, the result bytes") }
    let own = try ByteScale(site, of: "")
    result = Result(scale: own, steps: try own.steps(FusedActivation(site.invocation), ByteTable(site)))
    bias = site.has("bias") ? try site.constant("bias").doubles() : nil
  }

  /// What sums begin with and become, padded to whole blocks of bytes.
  struct ByteSums: Sendable {
    fileprivate let memory: PackedMemory
    fileprivate let count: Int

    func with(_ body: (UnsafePointer<ck_byte_sums>) -> Void) {
      let starts = memory.pointer.assumingMemoryBound(to: Int32.self)
      let scales = (memory.pointer + 4 * count).assumingMemoryBound(to: Float.self)
      var sums = ck_byte_sums(starts: starts, scales: scales, shifts: scales + count)
      withExtendedLifetime(memory) { body(&sums) }
    }
  }

  func byteSums(_ result: Result) throws -> ByteSums {
    let (channels, count) = (geometry.outChannels, ByteBlocks.padded(geometry.outChannels))
    let memory = try PackedMemory.filled(byteCount: 12 * count) { bytes in
      guard let base = bytes.baseAddress else { return }
      let factors = (base + 4 * count).assumingMemoryBound(to: Float.self)
      for channel in 0..<channels {
        factors[channel] = Float(product.factor(channel) / result.scale.scale)
        if let bias { factors[count + channel] = Float(bias[channel] / result.scale.scale) }
      }
      try product.start(base.assumingMemoryBound(to: Int32.self))
    }
    return ByteSums(memory: memory, count: count)
  }
}
