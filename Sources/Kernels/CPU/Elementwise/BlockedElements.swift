import CKernels
import MIL

/// Elementwise and per-channel operations on NCHWc tensors. The zero padding of the last block stays zero.
enum BlockedElements {
  static let binaries: [(String, ck_binary_op)] = [
    ("add", CK_BINARY_ADD), ("sub", CK_BINARY_SUB), ("mul", CK_BINARY_MUL), ("real_div", CK_BINARY_DIV),
    ("maximum", CK_BINARY_MAX), ("minimum", CK_BINARY_MIN),
  ]
  /// The functions that networks use between convolutions.
  static let unaries: Set<String> = [
    "abs", "clamped_relu", "clip", "elu", "erf", "exp", "gelu", "leaky_relu", "linear_activation", "relu", "relu6",
    "scaled_tanh", "sigmoid", "sigmoid_hard", "silu", "softplus", "softsign", "sqrt", "square", "tanh",
    "thresholded_relu",
  ]
  private static let grain = 1 << 14

  static func requireSingle(_ problem: KernelProblem, _ names: [String]) throws {
    try problem.requireScalar(.float32, of: names)
    guard problem.outputs.allSatisfy({ $0.scalar == .float32 }) else { throw Refusal("a result other than fp32") }
  }

  static func unary(_ problem: KernelProblem, _ op: ck_unary_op, _ alpha: Float, _ beta: Float) throws -> Candidate {
    try requireSingle(problem, ["x"])
    let shape = try Blocks.shape(problem.sizes("x"))
    let x = try problem.slot("x")
    let image = Blocks.padded(shape.channels) * shape.area
    let isRagged = shape.channels % Blocks.size != 0
    return Candidate.cpu(efficiency: 0.05, inPlace: [x]) { frame in
      let source: UnsafePointer<Float> = frame.input(x)
      let target: UnsafeMutablePointer<Float> = frame.output()
      frame.pool.run(shape.images * image, grain: grain) { range in
        ck_unary_f32(op, alpha, beta, source + range.lowerBound, target + range.lowerBound, range.count)
      }
      guard isRagged else { return }
      for number in 0..<shape.images { ck_block_clear_f32(target + number * image, shape.channels, shape.area) }
    }.blocked([x])
  }

  /// Two tensors of the same shape, or one tensor with one element for each channel or a single element.
  static func binary(_ problem: KernelProblem, _ op: ck_binary_op) throws -> Candidate {
    try requireSingle(problem, ["x", "y"])
    let (left, right, whole) = (try problem.sizes("x"), try problem.sizes("y"), try problem.outputSizes())
    let shape = try Blocks.shape(whole)
    let (x, y) = (try problem.slot("x"), try problem.slot("y"))
    if left == whole, right == whole {
      guard x != y else { throw Refusal("both are one value") }
      return both(shape, op, x, y)
    }
    guard left == whole || right == whole else { throw Refusal("neither operand has the shape of the result") }
    let (main, other, isFirst) = left == whole ? (x, y, false) : (y, x, true)
    let sizes = left == whole ? right : left
    let padded = Array(repeating: 1, count: whole.count - min(sizes.count, whole.count)) + sizes
    guard padded.count == whole.count, padded[2...].allSatisfy({ $0 == 1 }), [1, whole[0]].contains(padded[0]),
      padded[1] == whole[1] || padded[1] == 1 && padded[0] == 1
    else { throw Refusal("the other operand is not a number for each channel") }
    let isOne = padded[1] == 1 && whole[1] != 1
    let vectorImage = padded[0] == 1 ? 0 : shape.channels
    let image = Blocks.padded(shape.channels) * shape.area
    let blocks = Chunks(Blocks.count(shape.channels), of: max(grain / (shape.area * Blocks.size), 1))
    // A single element is expanded once to one element for each channel.
    let scratch = isOne ? shape.channels * 4 : 0
    var candidate = Candidate.cpu(efficiency: 0.08, scratchBytes: scratch, inPlace: [main]) { frame in
      let source: UnsafePointer<Float> = frame.input(main)
      let target: UnsafeMutablePointer<Float> = frame.output()
      var vector: UnsafePointer<Float> = frame.input(other)
      if isOne {
        let filled = frame.scratch.assumingMemoryBound(to: Float.self)
        filled.update(repeating: vector[0], count: shape.channels)
        vector = UnsafePointer(filled)
      }
      frame.pool.run(shape.images * blocks.count) { items in
        for item in items {
          let (number, range) = (item / blocks.count, blocks[item % blocks.count])
          ck_block_channels_binary_f32(
            op, isFirst, source + number * image, vector + number * vectorImage, target + number * image,
            shape.channels, shape.area, range.lowerBound, range.upperBound)
        }
      }
    }
    candidate = candidate.blocked([main])
    return candidate
  }

  private static func both(
    _ shape: (images: Int, channels: Int, area: Int), _ op: ck_binary_op, _ x: Int, _ y: Int
  ) -> Candidate {
    let image = Blocks.padded(shape.channels) * shape.area
    // 0 / 0 is NaN, so the padding of the last block must be cleared.
    let clears = op == CK_BINARY_DIV && shape.channels % Blocks.size != 0
    return Candidate.cpu(efficiency: 0.08, inPlace: [x, y]) { frame in
      let (first, second): (UnsafePointer<Float>, UnsafePointer<Float>) = (frame.input(x), frame.input(y))
      let target: UnsafeMutablePointer<Float> = frame.output()
      frame.pool.run(shape.images * image, grain: grain) { range in
        var (length, one) = (range.count, 1)
        _ = ck_binary_f32(
          op, first + range.lowerBound, second + range.lowerBound, target + range.lowerBound, 1, &length, &one, &one)
      }
      guard clears else { return }
      for number in 0..<shape.images { ck_block_clear_f32(target + number * image, shape.channels, shape.area) }
    }.blocked([x, y])
  }

  /// The mean or the maximum of each channel. The output is dense, because it has no spatial positions.
  static func reduction(_ problem: KernelProblem) throws -> Candidate {
    try requireSingle(problem, ["x"])
    let sizes = try problem.sizes("x")
    let shape = try Blocks.shape(sizes)
    let axes = try problem.invocation.axes("axes", default: Array(sizes.indices), rank: sizes.count).sorted()
    guard axes == Array(2..<sizes.count) else { throw Refusal("other axes than those of positions") }
    let isGreatest = problem.operation == "reduce_max"
    let x = try problem.slot("x")
    let (blocks, image) = (Blocks.count(shape.channels), Blocks.padded(shape.channels) * shape.area)
    var candidate = Candidate.cpu(efficiency: 0.2) { frame in
      let source: UnsafePointer<Float> = frame.input(x)
      let target: UnsafeMutablePointer<Float> = frame.output()
      frame.pool.run(shape.images * blocks, grain: max(grain / (shape.area * Blocks.size), 1)) { items in
        for item in items {
          let (number, block) = (item / blocks, item % blocks)
          ck_block_reduce_f32(
            isGreatest, source + number * image, target + number * shape.channels, shape.channels, shape.area, block,
            block + 1)
        }
      }
    }
    candidate.takes[x] = Blocks.layout
    return candidate
  }

  /// Center, scale and shift of each channel, then a function, while the elements are in the caches.
  private struct ChannelAffine: Sendable {
    let x: Int
    let shape: (images: Int, channels: Int, area: Int)
    let function: (op: ck_unary_op, alpha: Float, beta: Float)
    private let blocks: Chunks

    init(_ problem: KernelProblem, then function: (op: ck_unary_op, alpha: Float, beta: Float)) throws {
      shape = try Blocks.shape(problem.sizes("x"))
      x = try problem.slot("x")
      self.function = function
      blocks = Chunks(Blocks.count(shape.channels), of: max(grain / (shape.area * Blocks.size), 1))
    }

    func run(
      _ frame: CPUFrame, _ center: UnsafePointer<Float>, _ scale: UnsafePointer<Float>, _ shift: UnsafePointer<Float>
    ) {
      let (source, target) = (frame.input(x, as: Float.self), frame.output(0, as: Float.self))
      let image = Blocks.padded(shape.channels) * shape.area
      let isIdentity = function.op == CK_UNARY_IDENTITY
      frame.pool.run(shape.images * blocks.count) { items in
        for item in items {
          let (number, range) = (item / blocks.count, blocks[item % blocks.count])
          ck_block_affine_f32(
            source + number * image, center, scale, shift, target + number * image, shape.channels, shape.area,
            range.lowerBound, range.upperBound)
          guard !isIdentity else { continue }
          let part = target + number * image + range.lowerBound * shape.area * Blocks.size
          ck_unary_f32(
            function.op, function.alpha, function.beta, part, part, range.count * shape.area * Blocks.size)
        }
      }
      guard !isIdentity, shape.channels % Blocks.size != 0 else { return }
      for number in 0..<shape.images { ck_block_clear_f32(target + number * image, shape.channels, shape.area) }
    }
  }

  static func affine(_ problem: KernelProblem) throws -> Candidate {
    try requireSingle(problem, ["x", "center", "scale", "shift"])
    let channels = try ChannelAffine(problem, then: FusedActivation(problem.invocation).unary)
    let (center, scale, shift) = (try problem.slot("center"), try problem.slot("scale"), try problem.slot("shift"))
    return Candidate.cpu(efficiency: 0.1, inPlace: [channels.x]) { frame in
      channels.run(frame, frame.input(center), frame.input(scale), frame.input(shift))
    }.blocked([channels.x])
  }

  /// A scale and a shift for each channel.
  static func batchNorm(_ problem: KernelProblem) throws -> Candidate {
    try requireSingle(problem, ["x", "mean", "variance", "gamma", "beta"])
    let channels = try ChannelAffine(problem, then: (CK_UNARY_IDENTITY, 0, 0))
    let count = channels.shape.channels
    let (mean, variance) = (try problem.slot("mean"), try problem.slot("variance"))
    let (gamma, beta) = (problem.optionalSlot("gamma"), problem.optionalSlot("beta"))
    let epsilon = Float(try problem.invocation.double("epsilon", default: 1e-5))
    return Candidate.cpu(efficiency: 0.1, scratchBytes: 2 * count * 4, inPlace: [channels.x]) { frame in
      let variances: UnsafePointer<Float> = frame.input(variance)
      let (factors, sums): (UnsafePointer<Float>?, UnsafePointer<Float>?) = (
        frame.input(optional: gamma), frame.input(optional: beta)
      )
      let scale = frame.scratch.assumingMemoryBound(to: Float.self)
      let shift = scale + count
      for channel in 0..<count {
        scale[channel] = (factors?[channel] ?? 1) / (variances[channel] + epsilon).squareRoot()
        shift[channel] = sums?[channel] ?? 0
      }
      channels.run(frame, frame.input(mean), scale, shift)
    }.blocked([channels.x])
  }
}
