import CKernels
import MIL

/// What happens to bytes between products.
enum QuantizedElements {
  private static let grain = 1 << 16

  /// The sum of two that are alike, in blocks of bytes or dense.
  static func add(_ site: Site, inBlocks: Bool) throws -> Offer {
    try ByteBlocks.require()
    let sizes = try site.sizes("x")
    guard try sizes == site.sizes("y"), try site.scalar("x") == site.scalar("y") else {
      throw Refusal("'x' and 'y' differ")
    }
    let (x, y) = (try site.slot("x"), try site.slot("y"))
    guard site.has("scale"), try site.resultScalar() == site.scalar("x"),
      try inBlocks || site.invocation.scalarType("output_dtype") == site.scalar("x")
    else {
      throw Refusal("the result is not of the same bytes")
    }
    let (first, second, result) = (
      try ByteScale(site, of: "x"), try ByteScale(site, of: "y"), try ByteScale(site, of: "")
    )
    let steps = try result.steps(FusedActivation(site.invocation), ByteTable(site))
    let shift = (Double(first.low) * first.scale + Double(second.low) * second.scale) / result.scale
    let sum = ck_byte_sum(
      scale_x: Float(first.scale / result.scale), scale_y: Float(second.scale / result.scale), shift: Float(shift))
    let (count, flip): (Int, UInt8)
    if inBlocks {
      let shape = try Blocks.shape(sizes)
      (count, flip) = (shape.images * ByteBlocks.padded(shape.channels) * shape.area, 0)
    } else {
      (count, flip) = (sizes.reduce(1, *), try ByteBlocks.flip(site.scalar("x")))
    }
    let offer = Offer(efficiency: 0.1, inPlace: [x, y], work: Work(flops: Double(2 * count), bytes: Double(3 * count)))
    {
      .cpu { frame in
        let (first, second) = (frame.input(x, as: UInt8.self), frame.input(y, as: UInt8.self))
        let target = frame.output(0, as: UInt8.self)
        frame.pool.run(count, grain: grain) { range in
          ck_byte_add(
            first + range.lowerBound, second + range.lowerBound, flip, sum, steps.steps, target + range.lowerBound,
            range.count)
        }
      }
    }
    return inBlocks ? offer.byteBlocked([x, y]) : offer
  }

  /// What a table has for every byte.
  static func lookup(_ site: Site, inBlocks: Bool) throws -> Offer {
    try ByteBlocks.require()
    let (x, sizes) = (try site.slot("x"), try site.sizes("x"))
    guard let table = try ByteTable(site) else { throw Refusal("there is no table") }
    let flips = inBlocks ? (0, 0) : (ByteBlocks.flip(try site.scalar("x")), ByteBlocks.flip(try site.resultScalar()))
    let count: Int
    if inBlocks {
      let shape = try Blocks.shape(sizes)
      count = shape.images * ByteBlocks.padded(shape.channels) * shape.area
    } else {
      count = sizes.reduce(1, *)
    }
    let offer = Offer(efficiency: 0.1, inPlace: [x], work: Work(flops: Double(count), bytes: Double(2 * count))) {
      .cpu { frame in
        let (source, target) = (frame.input(x, as: UInt8.self), frame.output(0, as: UInt8.self))
        frame.pool.run(count, grain: grain) { range in
          ck_byte_lookup(
            source + range.lowerBound, flips.0, table.pointer, flips.1, target + range.lowerBound, range.count)
        }
      }
    }
    return inBlocks ? offer.byteBlocked([x]) : offer
  }

  /// The greatest byte of windows that all have some of their input.
  static func maxPool(_ site: Site) throws -> Offer {
    try ByteBlocks.require()
    let scalar = try site.scalar("x")
    guard scalar == .int8 || scalar == .uint8 else { throw Refusal("'x' is \(scalar.rawValue), not bytes") }
    let g = try Pooling.geometry(site.invocation).straightened
    guard !g.isEmpty else { throw Refusal("the pool is empty") }
    let window = try BlockedWindow(g, threads: max(site.threads, 1), size: ByteBlocks.size)
    let x = try site.slot("x")
    return Offer.cpu(efficiency: 0.2) { frame in
      let (input, output) = (frame.input(x, as: UInt8.self), frame.output(0, as: UInt8.self))
      window.run(frame) { blocks, rows, from, to, _ in
        var shape = g.window
        ck_byte_max_pool(
          &shape, input + from, output + to, blocks.lowerBound, blocks.upperBound, rows.lowerBound, rows.upperBound)
      }
    }.byteBlocked([x])
  }

  /// Blocks of floats as blocks of bytes (`quantize`), or back.
  static func convert(_ site: Site) throws -> Offer {
    try ByteBlocks.require()
    let isToBytes = site.operation == "quantize"
    let shape = try Blocks.shape(site.sizes("input"))
    let input = try site.slot("input")
    guard try isToBytes ? site.scalar("input") == .float32 : site.resultScalar() == .float32 else {
      throw Refusal("not of single precision")
    }
    let (scales, zeros) = (
      try site.constant("scale").doubles(), site.has("zero_point") ? try site.constant("zero_point").doubles() : [0]
    )
    guard scales.count == 1, zeros.count == 1 else { throw Refusal("more scales than one") }
    let scale = try ByteScale(
      isToBytes ? site.resultScalar() : site.scalar("input"), scale: scales[0], zero: zeros[0])
    let steps = ByteSteps(low: scale.low, least: scale.low, greatest: scale.low + 255, table: nil)
    let (floats, bytes) = (Blocks.padded(shape.channels) * shape.area, ByteBlocks.padded(shape.channels) * shape.area)
    let blocks = Pieces(ByteBlocks.count(shape.channels), of: max(grain / (shape.area * ByteBlocks.size), 1))
    var offer = Offer.cpu(efficiency: 0.1) { frame in
      frame.pool.run(shape.images * blocks.count) { items in
        for item in items {
          let (number, range) = (item / blocks.count, blocks[item % blocks.count])
          if isToBytes {
            ck_byte_quantize(
              frame.input(input, as: Float.self) + number * floats, shape.channels, shape.area, Float(scale.scale),
              steps.steps,
              frame.output(0, as: UInt8.self) + number * bytes, range.lowerBound, range.upperBound)
          } else {
            ck_byte_dequantize(
              frame.input(input, as: UInt8.self) + number * bytes, shape.channels, shape.area, Float(scale.scale),
              scale.low,
              frame.output(0, as: Float.self) + number * floats, range.lowerBound, range.upperBound)
          }
        }
      }
    }
    offer.takes[input] = isToBytes ? Blocks.layout : ByteBlocks.layout
    offer.gives[0] = isToBytes ? ByteBlocks.layout : Blocks.layout
    return offer
  }
}
