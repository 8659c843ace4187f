import CKernels
import MIL

/// Vector kernels for operations of one input: fp32, and int32 where the function maps integers to integers.
enum ElementwiseUnaryKernels {
  static let all: [KernelImplementation] =
    UnaryFunctions.all.map { name, function in
      KernelImplementation("\(name).vector", for: name) { problem in
        let x = try problem.slot("x")
        let count = try problem.outputSizes().reduce(1, *)
        let scalar = try problem.scalar("x")
        let (op, alpha, beta) = try problem.known { try function(problem.invocation) }
        if scalar == .int32, exactIntegers.contains(name) {
          let (a, b) = (Int32(clamping: Int(alpha)), Int32(clamping: Int(beta)))
          return .cpu(efficiency: 0.1, inPlace: [x]) { frame in
            let source = frame.input(x, as: Int32.self)
            let target = frame.output(0, as: Int32.self)
            frame.pool.run(count, grain: ThreadPool.elementGrain) { range in
              _ = ck_unary_i32(op, a, b, source + range.lowerBound, target + range.lowerBound, range.count)
            }
          }
        }
        guard scalar == .float32 else { throw Refusal("'x' is \(scalar.rawValue), the kernel takes fp32") }
        return .cpu(efficiency: 0.05, inPlace: [x]) { frame in
          let source = frame.input(x, as: Float.self)
          let target = frame.output(0, as: Float.self)
          frame.pool.run(count, grain: ThreadPool.elementGrain) { range in
            ck_unary_f32(op, alpha, beta, source + range.lowerBound, target + range.lowerBound, range.count)
          }
        }
      }
    } + [
      KernelImplementation("activation.vector", for: "fused.activation") { problem in
        try problem.requireScalar(.float32, of: ["x"])
        let x = try problem.slot("x")
        let count = try problem.outputSizes().reduce(1, *)
        let (op, alpha, beta) = try FusedActivation(problem.invocation).unary
        return .cpu(efficiency: 0.05, inPlace: [x]) { frame in
          let source = frame.input(x, as: Float.self)
          let target = frame.output(0, as: Float.self)
          frame.pool.run(count, grain: ThreadPool.elementGrain) { range in
            ck_unary_f32(op, alpha, beta, source + range.lowerBound, target + range.lowerBound, range.count)
          }
        }
      },
      KernelImplementation("logical_not.vector", for: "logical_not") { problem in
        try problem.requireScalar(.bool, of: ["x"])
        let x = try problem.slot("x")
        let count = try problem.outputSizes().reduce(1, *)
        return .cpu(efficiency: 0.1, inPlace: [x]) { frame in
          ck_logical_not_u8(frame.input(x), frame.output(0), count)
        }
      },
      KernelImplementation("cast.vector", for: "cast") { try cast($0, "x") },
      // Weights in a file are often fp16 and large. The reference would convert them through fp64.
      KernelImplementation("cast.vector", for: "constexpr_cast") { try cast($0, "source_val") },
    ]

  private static func cast(_ problem: KernelProblem, _ parameter: String) throws -> Candidate {
    let x = try problem.slot(parameter)
    let count = try problem.outputSizes().reduce(1, *)
    let source = try problem.scalar(parameter)
    guard let from = CKType.code(source), let to = CKType.code(problem.outputs[0].scalar) else {
      throw Refusal("a cast from \(source.rawValue) to \(problem.outputs[0].scalar.rawValue)")
    }
    let sizes = (ck_type_size(from), ck_type_size(to))
    // Narrowing integer casts saturate in the reference and wrap in the kernel.
    if source.isInteger, problem.outputs[0].scalar.isInteger, problem.outputs[0].scalar != source {
      throw Refusal("a cast between integers saturates")
    }
    return .cpu(efficiency: 0.1, inPlace: sizes.0 == sizes.1 ? [x] : []) { frame in
      let input = frame.inputs[x]
      let output = frame.outputs[0]
      frame.pool.run(count, grain: ThreadPool.elementGrain) { range in
        _ = ck_cast(
          from, to, input + range.lowerBound * sizes.0, output + range.lowerBound * sizes.1, range.count)
      }
    }
  }

  private static let exactIntegers: Set<String> = ["abs", "sign", "square", "clip", "threshold", "relu"]
}

/// Element types as the C kernels number them.
package enum CKType {
  package static func code(_ scalar: ScalarType) -> ck_type? {
    switch scalar {
    case .float16: CK_TYPE_F16
    case .float32: CK_TYPE_F32
    case .float64: CK_TYPE_F64
    case .int8: CK_TYPE_I8
    case .uint8: CK_TYPE_U8
    case .int16: CK_TYPE_I16
    case .uint16: CK_TYPE_U16
    case .int32: CK_TYPE_I32
    case .uint32: CK_TYPE_U32
    case .int64: CK_TYPE_I64
    case .uint64: CK_TYPE_U64
    case .bool: CK_TYPE_BOOL
    default: nil
    }
  }
}
