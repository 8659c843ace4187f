import CKernels
import MIL

extension KernelTable {
  /// Compressed constants, decoded by ranges; `dequantize` of values.
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
    },
    Row("dequantize.vector", for: "dequantize") { try Dequantization($0).offer },
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

/// (input - zero point) scale for integers of eight bits, one scale for all or for each entry of an axis.
private struct Dequantization: Sendable {
  private let input: Int
  private let scale: Int
  private let zero: Int?
  private let isSigned: Bool
  private let channels: Int
  private let inner: Int
  private let rows: Int

  init(_ site: Site) throws {
    (input, scale, zero) = (try site.slot("input"), try site.slot("scale"), site.optionalSlot("zero_point"))
    let scalar = try site.scalar("input")
    guard scalar == .int8 || scalar == .uint8 else { throw Refusal("'input' is \(scalar.rawValue)") }
    isSigned = scalar == .int8
    try site.requireScalar(.float32, of: ["scale"])
    try site.requireScalar(scalar, of: ["zero_point"])
    let sizes = try site.sizes("input")
    let count = try site.sizes("scale").reduce(1, *)
    guard try zero == nil || site.sizes("zero_point").reduce(1, *) == count else {
      throw Refusal("there are as many scales as zero points only")
    }
    if count == 1 {
      (channels, inner) = (1, sizes.reduce(1, *))
    } else {
      let axis = try site.invocation.axis("axis", default: 0, rank: sizes.count)
      guard count == sizes[axis] else { throw Refusal("'scale' has not one number an entry of the axis") }
      (channels, inner) = (count, sizes[(axis + 1)...].reduce(1, *))
    }
    guard inner > 0, channels > 0 else { throw Refusal("the tensor is empty") }
    rows = sizes.reduce(1, *) / inner
  }

  var offer: Offer {
    .cpu(efficiency: 0.1) { frame in
      if rows == 1 {
        frame.pool.run(inner, grain: 1 << 15) { run(frame, row: 0, $0) }
      } else {
        frame.pool.run(rows, grain: max((1 << 15) / inner, 1)) { range in
          for row in range { run(frame, row: row, 0..<inner) }
        }
      }
    }
  }

  private func run(_ frame: CPUFrame, row: Int, _ range: Range<Int>) {
    let (channel, first) = (row % channels, row * inner + range.lowerBound)
    let scales: UnsafePointer<Float> = frame.input(scale)
    let output: UnsafeMutablePointer<Float> = frame.output()
    if isSigned {
      let zeros = zero.map { frame.input($0, as: Int8.self) + channel }
      let source: UnsafePointer<Int8> = frame.input(input)
      ck_dequantize_i8_f32(source + first, scales + channel, zeros, output + first, 1, 1, range.count)
    } else {
      let zeros = zero.map { frame.input($0, as: UInt8.self) + channel }
      let source: UnsafePointer<UInt8> = frame.input(input)
      ck_dequantize_u8_f32(source + first, scales + channel, zeros, output + first, 1, 1, range.count)
    }
  }
}
