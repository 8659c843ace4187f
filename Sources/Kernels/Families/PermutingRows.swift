import MIL

extension KernelTable {
  static let permutingRows: [Row] = [
    copyRow("transpose") { site, shape in
      let perm = try site.invocation.permutation(rank: shape.count)
      let strides = rowMajorStrides(shape)
      return CopyView(perm.map { shape[$0] }, perm.map { strides[$0] })
    },
    copyRow("reverse") { site, shape in
      let axes = try site.invocation.axes("axes", default: Array(shape.indices), rank: shape.count)
      var strides = rowMajorStrides(shape)
      var offset = 0
      guard !shape.contains(0) else { return CopyView(shape, strides) }
      for axis in axes {
        offset += (shape[axis] - 1) * strides[axis]
        strides[axis] = -strides[axis]
      }
      return CopyView(shape, strides, offset)
    },
    copyRow("sliding_windows") { site, shape in
      let axis = try site.invocation.axis("axis", rank: shape.count)
      var strides = rowMajorStrides(shape)
      strides.insert(strides[axis], at: axis + 1)
      strides[axis] *= try site.invocation.int("stride", default: 1)
      return CopyView(try site.outputSizes(), strides)
    },
    copyRow("tile") { site, shape in
      let reps = try site.invocation.ints("reps")
      let strides = rowMajorStrides(shape)
      return CopyView(
        shape.indices.flatMap { [reps[$0], shape[$0]] }, shape.indices.flatMap { [0, strides[$0]] })
    },
    copyRow("depth_to_space") { site, s in
      let b = try site.invocation.int("block_size")
      return outOfDepth(s, b, part: s[1] / (b * b), channel: 1)
    },
    copyRow("pixel_shuffle") { site, s in
      let f = try site.invocation.int("upscale_factor")
      return outOfDepth(s, f, part: 1, channel: f * f)
    },
    copyRow("space_to_depth") { site, s in
      let b = try site.invocation.int("block_size")
      let t = rowMajorStrides(s)
      return CopyView([s[0], b, b, s[1], s[2] / b, s[3] / b], [t[0], t[2], t[3], t[1], b * t[2], b * t[3]])
    },
    copyRow("pixel_unshuffle") { site, s in
      let f = try site.invocation.int("downscale_factor")
      let t = rowMajorStrides(s)
      return CopyView([s[0], s[1], f, f, s[2] / f, s[3] / f], [t[0], t[1], t[2], t[3], f * t[2], f * t[3]])
    },
    Row("copy", for: "space_to_batch") { site in
      let (x, y) = (try site.sizes("x"), try site.outputSizes())
      let (block, paddings) = try site.known { try site.invocation.blocks("paddings") }
      let size = try site.elementSize("x")
      let bytes = size * y.reduce(1, *)
      let copies = try blockCopies(x, y, block, [paddings[0][0], paddings[1][0]], size, intoBatch: true)
      let slot = try site.slot("x")
      return .cpu(efficiency: 1) { frame in
        if paddings.joined().contains(where: { $0 > 0 }) {
          frame.outputs[0].initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        }
        for copy in copies { copy(from: frame.inputs[slot], to: frame.outputs[0], pool: frame.pool) }
      }
    },
    Row("copy", for: "batch_to_space") { site in
      let (x, y) = (try site.sizes("x"), try site.outputSizes())
      let (block, crops) = try site.known { try site.invocation.blocks("crops") }
      let copies = try blockCopies(
        y, x, block, [crops[0][0], crops[1][0]], try site.elementSize("x"), intoBatch: false)
      let slot = try site.slot("x")
      return site.copies(copies.map { (slot, 0, $0) })
    },
  ]

  /// A row of one copy from a view of `x` to the whole, contiguous output.
  static func copyRow(_ operation: String, _ view: @escaping @Sendable (Site, [Int]) throws -> CopyView) -> Row {
    Row("copy", for: operation) { site in
      let view = try site.known { try view(site, site.sizes("x")) }
      let copy = try StridedCopy(
        elementSize: site.elementSize("x"), shape: view.shape, inStrides: view.strides,
        outStrides: rowMajorStrides(view.shape), inOffset: view.offset)
      return site.copies([(try site.slot("x"), 0, copy)])
    }
  }

  /// [n, c * f * f, h, w] as [n, c, h, f, w, f]; `part` and `channel` are the strides, in channels, of a place within the block
  /// and of an output channel.
  private static func outOfDepth(_ s: [Int], _ f: Int, part: Int, channel: Int) -> CopyView {
    let t = rowMajorStrides(s)
    return CopyView(
      [s[0], s[1] / (f * f), s[2], f, s[3], f],
      [t[0], channel * t[1], t[2], part * f * t[1], t[3], part * t[1]])
  }

  /// One copy for each place within a block, between an image tensor [n, c, h, w] that lies `before` inside its padded or
  /// uncropped extent, and the tensor of blocks [n * by * bx, c, h', w'].
  private static func blockCopies(
    _ image: [Int], _ blocks: [Int], _ block: [Int], _ before: [Int], _ elementSize: Int, intoBatch: Bool
  ) throws -> [StridedCopy] {
    guard block[0] <= 64, block[1] <= 64 else { throw Refusal("blocks of \(block) are too many copies") }
    let (s, t) = (rowMajorStrides(image), rowMajorStrides(blocks))
    var copies: [StridedCopy] = []
    for place in 0..<(block[0] * block[1]) {
      let offsets = [place / block[1], place % block[1]]
      // Rows of the block tensor whose image row lies inside: before <= first * block + offset.
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

/// A way of walking over a tensor: sizes, strides and the first element.
struct CopyView {
  let shape: [Int]
  let strides: [Int]
  let offset: Int

  init(_ shape: [Int], _ strides: [Int], _ offset: Int = 0) {
    self.shape = shape
    self.strides = strides
    self.offset = offset
  }
}
