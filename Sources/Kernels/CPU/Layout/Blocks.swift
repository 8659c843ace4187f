import CKernels
import MIL

/// The NCHWc layout with as many channels in a block as a vector of the active instruction set has lanes: [N, blocks,
/// ..., lanes]. Kernels load vectors of channels without rearranging them, so convolutions come closest to the
/// processor's peak with this layout.
enum Blocks {
  static var size: Int { ck_block_size() }
  static var layout: Layout { .blocked(size) }
  static func count(_ channels: Int) -> Int { (channels + size - 1) / size }
  /// The channel count rounded up to whole blocks.
  static func padded(_ channels: Int) -> Int { count(channels) * size }

  /// Limit in fp32 elements for the scratch memory of a thread. A kernel that needs more refuses the problem; other
  /// kernels work in smaller parts.
  static let mostScratch = 1 << 22

  /// Refuses windows that reach far outside of the input. With padding, also refuses input bands too large for scratch
  /// memory.
  static func requireUsual(_ geometry: WindowGeometry) throws {
    let band = try requireCountable(geometry)
    guard band <= mostScratch || geometry.padBefore == [0, 0, 0] && geometry.padAfter == [0, 0, 0] else {
      throw Refusal("a line of windows takes more than \(mostScratch >> 18) megabytes")
    }
  }

  /// Refuses windows that reach far outside of the input. Returns the fp32 elements of the padded input that one output
  /// line reads.
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

  /// Images, channels and positions of a tensor that can use the NCHWc layout.
  static func shape(_ sizes: [Int]) throws -> (images: Int, channels: Int, area: Int) {
    guard sizes.count >= 3, sizes.allSatisfy({ $0 > 0 }) else { throw Refusal("not images of channels") }
    return (sizes[0], sizes[1], sizes[2...].reduce(1, *))
  }
}

extension Epilogue {
  /// The epilogue without the residual input, which NCHWc kernels add before the activation.
  func withoutResidual(_ frame: CPUFrame) -> ck_epilogue {
    ck_epilogue(bias: bias(frame), activation: op, alpha: alpha, beta: beta)
  }
}

extension Candidate {
  /// The candidate with NCHWc output and NCHWc operands in `slots`.
  func blocked(_ slots: [Int]) -> Candidate {
    var candidate = self
    for slot in slots { candidate.takes[slot] = Blocks.layout }
    candidate.gives[0] = Blocks.layout
    return candidate
  }
}
