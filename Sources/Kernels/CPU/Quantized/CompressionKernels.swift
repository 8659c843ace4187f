import CKernels
import MIL

/// Compressed constants, decoded by range.
enum CompressionKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation(
      "constexpr.decoded",
      for: [
        "constexpr_lut_to_dense", "constexpr_sparse_to_dense", "constexpr_affine_dequantize",
        "constexpr_blockwise_shift_scale",
      ]
    ) { problem in
      let weight = try storedResult(problem)
      let isF16 = weight.type.scalar == .float16
      return Candidate(efficiency: 0.1, packed: Set(problem.operands.indices)) {
        .cpu { frame in
          frame.pool.run(weight.count, grain: 1 << 15) { range in
            if isF16 {
              weight.decodeF16(range, into: frame.output(0, as: UInt16.self) + range.lowerBound)
            } else {
              weight.decode(range, into: frame.output(0, as: Float.self) + range.lowerBound)
            }
          }
        }
      }
    }
  ]

  private static func storedResult(_ problem: KernelProblem) throws -> StoredWeight {
    var arguments: [String: StoredWeight] = [:]
    for operand in problem.operands {
      guard operand.isConstant else { throw Refusal("'\(operand.parameter)' is not a constant") }
      arguments[operand.parameter] = operand.weight
    }
    guard let result = try StoredWeight.results(of: problem.invocation, arguments)?.first else {
      throw Refusal("no weight encoding supports these types")
    }
    guard result.type.scalar == .float32 || result.type.scalar == .float16 else {
      throw Refusal("the result is \(result.type.scalar.rawValue)")
    }
    return result
  }
}
