import MIL

enum PermutingKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("copy", for: "space_to_batch") { problem in
      let (x, y) = (try problem.sizes("x"), try problem.outputSizes())
      let (block, paddings) = try problem.known { try problem.invocation.blocks("paddings") }
      let size = try problem.elementSize("x")
      let bytes = size * y.reduce(1, *)
      let copies = try blockCopies(x, y, block, [paddings[0][0], paddings[1][0]], size, intoBatch: true)
      let slot = try problem.slot("x")
      let isPadded = paddings.joined().contains { $0 > 0 }
      return .cpu(efficiency: 1) { frame in
        if isPadded { frame.outputs[0].initializeMemory(as: UInt8.self, repeating: 0, count: bytes) }
        for index in copies.indices {
          copies[index](from: frame.inputs[slot], to: frame.outputs[0], pool: frame.pool)
        }
      }
    },
    KernelImplementation("copy", for: "batch_to_space") { problem in
      let (x, y) = (try problem.sizes("x"), try problem.outputSizes())
      let (block, crops) = try problem.known { try problem.invocation.blocks("crops") }
      let copies = try blockCopies(
        y, x, block, [crops[0][0], crops[1][0]], try problem.elementSize("x"), intoBatch: false)
      let slot = try problem.slot("x")
      return Candidate.copies(copies.map { (slot, 0, $0) })
    },
  ]

  /// One copy for each position within a block, between an image tensor [n, c, h, w] and the tensor of blocks [n * by *
  /// bx, c, h', w']. `before` is the offset of the image in its padded or uncropped extent.
  private static func blockCopies(
    _ image: [Int], _ blocks: [Int], _ block: [Int], _ before: [Int], _ elementSize: Int, intoBatch: Bool
  ) throws -> [StridedCopy] {
    guard block[0] <= 64, block[1] <= 64 else { throw Refusal("blocks of \(block) are too many copies") }
    let (s, t) = (rowMajorStrides(image), rowMajorStrides(blocks))
    var copies: [StridedCopy] = []
    for place in 0..<(block[0] * block[1]) {
      let offsets = [place / block[1], place % block[1]]
      // Rows of the block tensor whose image row is inside: before <= first * block + offset.
      var first = [0, 0]
      var count = [0, 0]
      for axis in 0..<2 {
        first[axis] = max(0, (before[axis] - offsets[axis] + block[axis] - 1) / block[axis])
        let end = (image[axis + 2] + before[axis] - offsets[axis] + block[axis] - 1) / block[axis]
        count[axis] = max(0, min(end, blocks[axis + 2]) - first[axis])
      }
      let row = first[0] * block[0] + offsets[0] - before[0]
      let column = first[1] * block[1] + offsets[1] - before[1]
      let imageStrides = [s[0], s[1], block[0] * s[2], block[1] * s[3]]
      let imageOffset = row * s[2] + column * s[3]
      let blockOffset = place * image[0] * t[0] + first[0] * t[2] + first[1] * t[3]
      copies.append(
        try StridedCopy(
          elementSize: elementSize, shape: [image[0], image[1], count[0], count[1]],
          inStrides: intoBatch ? imageStrides : t, outStrides: intoBatch ? t : imageStrides,
          inOffset: intoBatch ? imageOffset : blockOffset, outOffset: intoBatch ? blockOffset : imageOffset))
    }
    return copies
  }
}
