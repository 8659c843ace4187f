import CKernels
import MIL

/// Kernels for `quantize` and `dequantize`.
enum QuantizationKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("dequantize.vector", for: "dequantize") {
      try Quantization($0, bytes: $0.scalar("input")).candidate
    },
    KernelImplementation("quantize.vector", for: "quantize") { problem in
      try problem.requireScalar(.float32, of: ["input"])
      return try Quantization(problem, bytes: problem.outputs[0].scalar).candidate
    },
  ]
}

/// `dequantize`, (input - zero point) * scale, or `quantize`, the nearest integer of input / scale + zero point. For
/// int8 and uint8, with one scale for all elements or one for each entry of an axis.
private struct Quantization: Sendable {
  private let input: Int
  private let scale: Int
  private let zero: Int?
  private let isSigned: Bool
  private let isToBytes: Bool
  private let channels: Int
  private let inner: Int
  private let rows: Int

  init(_ problem: KernelProblem, bytes scalar: ScalarType) throws {
    (input, scale, zero) = (try problem.slot("input"), try problem.slot("scale"), problem.optionalSlot("zero_point"))
    isToBytes = problem.operation == "quantize"
    guard scalar == .int8 || scalar == .uint8 else { throw Refusal("the integers are \(scalar.rawValue)") }
    isSigned = scalar == .int8
    try problem.requireScalar(.float32, of: ["scale"])
    try problem.requireScalar(scalar, of: ["zero_point"])
    guard isToBytes || problem.outputs[0].scalar == .float32 else {
      throw Refusal("the result is \(problem.outputs[0].scalar.rawValue)")
    }
    let sizes = try problem.sizes("input")
    let count = try problem.sizes("scale").reduce(1, *)
    guard try zero == nil || problem.sizes("zero_point").reduce(1, *) == count else {
      throw Refusal("the numbers of scales and zero points differ")
    }
    if count == 1 {
      (channels, inner) = (1, sizes.reduce(1, *))
    } else {
      let axis = try problem.invocation.axis("axis", default: 0, rank: sizes.count)
      guard count == sizes[axis] else { throw Refusal("'scale' has not one number an entry of the axis") }
      (channels, inner) = (count, sizes[(axis + 1)...].reduce(1, *))
    }
    guard inner > 0, channels > 0 else { throw Refusal("the tensor is empty") }
    rows = sizes.reduce(1, *) / inner
  }

  var candidate: Candidate {
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
    if isSigned {
      run(frame, row, range, ck_quantize_f32_i8, ck_dequantize_i8_f32)
    } else {
      run(frame, row, range, ck_quantize_f32_u8, ck_dequantize_u8_f32)
    }
  }

  private typealias PreparedKernel<From, To, Byte> = (
    UnsafePointer<From>, UnsafePointer<Float>, UnsafePointer<Byte>?, UnsafeMutablePointer<To>, Int, Int, Int
  ) -> Void

  private func run<Byte>(
    _ frame: CPUFrame, _ row: Int, _ range: Range<Int>, _ quantize: PreparedKernel<Float, Byte, Byte>,
    _ dequantize: PreparedKernel<Byte, Float, Byte>
  ) {
    let (channel, first) = (row % channels, row * inner + range.lowerBound)
    let scales = frame.input(scale, as: Float.self) + channel
    let zeros = zero.map { frame.input($0, as: Byte.self) + channel }
    if isToBytes {
      quantize(
        frame.input(input, as: Float.self) + first, scales, zeros, frame.output(0, as: Byte.self) + first, 1, 1,
        range.count)
    } else {
      dequantize(
        frame.input(input, as: Byte.self) + first, scales, zeros, frame.output(0, as: Float.self) + first, 1, 1,
        range.count)
    }
  }
}
