import CKernels
import MIL

/// NCHWc to channels-last and back. The channels of a block at one position stay adjacent, so whole vectors move
/// unchanged.
struct BlockedTranspose {
  private let x: Int
  private let shape: (images: Int, channels: Int, area: Int)
  /// Whether channels become the last axis; otherwise they come from the last axis.
  private let isToLast: Bool

  private static let grain = 1 << 14

  /// With a single spatial axis both directions are the same permutation.
  init(_ problem: KernelProblem, toLast isToLast: Bool) throws {
    try problem.requireScalar(.float32, of: ["x"])
    let sizes = try problem.sizes("x")
    let perm = try problem.invocation.permutation(rank: sizes.count)
    let last = sizes.count - 1
    guard sizes.count >= 3 else { throw Refusal("not images of channels") }
    guard perm == (isToLast ? [0] + Array(2...last) + [1] : [0, last] + Array(1..<last)) else {
      throw Refusal(isToLast ? "channels do not become the last axis" : "channels do not come from the last axis")
    }
    self.isToLast = isToLast
    shape = try Blocks.shape(isToLast ? sizes : problem.outputSizes())
    x = try problem.slot("x")
  }

  var candidate: Candidate {
    let (images, channels, area) = shape
    let (dense, blocked) = (channels * area, Blocks.padded(channels) * area)
    var candidate = Candidate.cpu(efficiency: 1) { [x, isToLast] frame in
      let source: UnsafePointer<Float> = frame.input(x)
      let target: UnsafeMutablePointer<Float> = frame.output()
      frame.pool.run(images * area, grain: max(Self.grain / channels, 1)) { range in
        var position = range.lowerBound
        while position < range.upperBound {
          let (image, begin) = (position / area, position % area)
          let end = min(area, begin + range.upperBound - position)
          if isToLast {
            ck_blocks_to_rows_f32(
              source + image * blocked, channels, area, Blocks.size, target + image * dense, begin, end)
          } else {
            ck_rows_to_blocks_f32(
              source + image * dense, channels, area, Blocks.size, target + image * blocked, begin, end)
          }
          position += end - begin
        }
      }
    }
    if isToLast { candidate.takes[x] = Blocks.layout } else { candidate.gives[0] = Blocks.layout }
    return candidate
  }
}
