import CKernels
import MIL

extension KernelTable {
  /// Compressed constants, decoded by ranges.
  static let compressionRows: [Row] = [
    Row(
      "constexpr.decoded",
      for: [
        "constexpr_lut_to_dense", "constexpr_sparse_to_dense", "constexpr_affine_dequantize",
        "constexpr_blockwise_shift_scale",
      ]
    ) { site in
      let weight = try storedResult(site)
      let isHalf = weight.type.scalar == .float16
      return Offer(efficiency: 0.1, packed: Set(site.operands.indices)) {
        .cpu { frame in
          frame.pool.run(weight.count, grain: 1 << 15) { range in
            if isHalf {
              weight.decodeHalves(range, into: frame.output(0, as: UInt16.self) + range.lowerBound)
            } else {
              weight.decode(range, into: frame.output(0, as: Float.self) + range.lowerBound)
            }
          }
        }
      }
    }
  ]

  private static func storedResult(_ site: Site) throws -> StoredWeight {
    var arguments: [String: StoredWeight] = [:]
    for operand in site.operands {
      guard operand.isConstant else { throw Refusal("'\(operand.parameter)' is not a constant") }
      arguments[operand.parameter] = operand.weight
    }
    guard let result = try StoredWeight.results(of: site.invocation, arguments)?.first else {
      throw Refusal("no form of stored weights has these types")
    }
    guard result.type.scalar == .float32 || result.type.scalar == .float16 else {
      throw Refusal("the result is \(result.type.scalar.rawValue)")
    }
    return result
  }
}
