import CKernels
import MIL

/// Channels in blocks of a vector's lanes, as the kernels of the instruction set in use work on them: [N, blocks, ..., lanes]. What a channel's
/// neighbours are not multiplied with need not be moved, so convolutions reach the most of a processor this way.
enum Blocks {
  static var size: Int { ck_block_size() }
  static var layout: Layout { .blocked(size) }
  static func count(_ channels: Int) -> Int { (channels + size - 1) / size }
  /// Channels with those that fill up the last block.
  static func padded(_ channels: Int) -> Int { count(channels) * size }

  /// Floats of scratch memory for a thread at most: beyond, rows that work in pieces are at hand.
  static let mostScratch = 1 << 22

  /// Refuses windows that reach far outside, and bands of the input that fill memory.
  static func requireUsual(_ geometry: WindowGeometry) throws {
    let band = try requireCountable(geometry)
    guard band <= mostScratch || geometry.padBefore == [0, 0, 0] && geometry.padAfter == [0, 0, 0] else {
      throw Refusal("a line of windows takes more than \(mostScratch >> 18) megabytes")
    }
  }

  /// Refuses windows that reach far outside. The floats of the padded input that a line of the output reads.
  @discardableResult
  static func requireCountable(_ geometry: WindowGeometry) throws -> Int {
    try geometry.requireNear()
    let reach = (geometry.kernel[1] - 1) * geometry.dilations[1] + 1
    let columns = geometry.input[2] + geometry.padBefore[2] + geometry.padAfter[2]
    let (row, isLong) = columns.multipliedReportingOverflow(by: padded(geometry.inChannels))
    let (band, isLarge) = row.multipliedReportingOverflow(by: reach)
    guard !isLong, !isLarge else { throw Refusal("a line of windows has more elements than can be counted") }
    return band
  }

  /// Images, channels and positions of a tensor that can lie in blocks and has any use of it.
  static func shape(_ sizes: [Int]) throws -> (images: Int, channels: Int, area: Int) {
    guard sizes.count >= 3, sizes.allSatisfy({ $0 > 0 }) else { throw Refusal("not images of channels") }
    return (sizes[0], sizes[1], sizes[2...].reduce(1, *))
  }
}

extension Epilogue {
  /// The whole of it but the residual input, which blocked kernels add before the activation.
  func withoutSum(_ frame: CPUFrame) -> ck_epilogue {
    ck_epilogue(bias: bias(frame), activation: op, alpha: alpha, beta: beta)
  }
}

extension Candidate {
  /// The offer of a kernel whose output is in blocks, as the operands in `slots` are.
  func blocked(_ slots: [Int]) -> Candidate {
    var candidate = self
    for slot in slots { candidate.takes[slot] = Blocks.layout }
    candidate.gives[0] = Blocks.layout
    return candidate
  }
}
