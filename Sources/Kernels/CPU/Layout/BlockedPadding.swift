import CKernels
import MIL

extension BlockedElements {
  /// Zero padding of NCHWc images, around the positions and after the channels. It copies lines. The padding of the
  /// last channel block is zero already.
  static func padded(_ problem: KernelProblem) throws -> Candidate {
    try requireSingle(problem, ["x"])
    let sizes = try problem.sizes("x")
    let shape = try Blocks.shape(sizes)
    guard (3...4).contains(sizes.count) else { throw Refusal("not lines or images of channels") }
    let (before, after) = try problem.known { try problem.invocation.padding(of: sizes.map { Dimension($0) }) }
    guard before[0] == 0, before[1] == 0, after[0] == 0 else {
      throw Refusal("images are padded, or channels in front of others")
    }
    guard try problem.known({ try problem.invocation.padMode() }) == .constant,
      try !problem.has("constant_val") || problem.constant("constant_val").doubles() == [0]
    else { throw Refusal("not padded with zeros") }
    let output = try problem.outputSizes()
    let (width, outWidth) = (sizes[sizes.count - 1], output[sizes.count - 1])
    let (height, outHeight) = (shape.area / width, output[2...].reduce(1, *) / outWidth)
    let (top, left) = (sizes.count == 4 ? before[2] : 0, before[sizes.count - 1])
    let (size, blocks, outBlocks) = (Blocks.size, Blocks.count(shape.channels), Blocks.count(output[1]))
    let x = try problem.slot("x")
    return Candidate.cpu(efficiency: 0.2) { frame in
      let (source, target) = (frame.input(x, as: Float.self), frame.output(0, as: Float.self))
      frame.pool.run(shape.images * outBlocks, grain: max((1 << 14) / (outHeight * outWidth * size), 1)) { items in
        for item in items {
          let (number, block) = (item / outBlocks, item % outBlocks)
          var line = target + item * outHeight * outWidth * size
          guard block < blocks else {
            line.update(repeating: 0, count: outHeight * outWidth * size)
            continue
          }
          let image = source + (number * blocks + block) * height * width * size
          for y in 0..<outHeight {
            if (top..<top + height).contains(y) {
              line.update(repeating: 0, count: left * size)
              (line + left * size).update(from: image + (y - top) * width * size, count: width * size)
              (line + (left + width) * size).update(repeating: 0, count: (outWidth - left - width) * size)
            } else {
              line.update(repeating: 0, count: outWidth * size)
            }
            line += outWidth * size
          }
        }
      }
    }.blocked([x])
  }
}
