import CKernels
import MIL

/// OpenCL kernels that work element by element.
enum OpenCLElementwiseKernels {
  static let all: [KernelImplementation] =
    UnaryFunctions.all.filter { CLFunction.names.contains(functionName($0.0)) }.map { name, function in
      openCLUnary(name) { call in
        let (op, alpha, beta) = try function(call)
        return try Refusal.onLaunchError { try CLFunction(functionName(name, op), alpha: alpha, beta: beta) }
      }
    }
    + [openCLUnary("fused.activation") { call in try Refusal.onLaunchError { try CLFunction(FusedActivation(call)) } }]
    + binaryNames.map { name in
      KernelImplementation("\(name).opencl", for: name, on: .openCL, mixesPrecisions: true) { problem in
        let (scalar, other) = (try problem.openCLScalar("x").widened, try problem.openCLScalar("y").widened)
        guard scalar == other else { throw Refusal("'y' is \(other.rawValue), 'x' \(scalar.rawValue)") }
        let context = try problem.requireOpenCL()
        let result = try Refusal.onLaunchError { try CLBinary.result(of: name, scalar) }
        guard try kernelScalar(problem.outputs[0].scalar, "the output").widened == result else {
          throw Refusal("the output is \(problem.outputs[0].scalar.rawValue), the kernel gives \(result.rawValue)")
        }
        var f16 = scalar == .float ? try problem.openCLF16Operands(["x": .first, "y": .second], result: false) : .none
        if problem.outputs[0].scalar == .float16 { f16.insert(.result) }
        let taken = f16
        let (a, b, c) = (try problem.sizes("x"), try problem.sizes("y"), try problem.outputSizes())
        let (x, y) = (try problem.slot("x"), try problem.slot("y"))
        return Candidate(efficiency: 0.1) {
          let launch = try CLBinary(context, name, of: scalar, x: a, y: b, output: c, f16: taken)
          return .openCL { frame in
            try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.inputs[y], z: frame.outputs[0])
          }
        }
      }
    } + [
      KernelImplementation("select.opencl", for: "select", on: .openCL) { problem in
        try problem.requireScalar(.bool, of: ["cond"])
        let context = try problem.requireOpenCL()
        try problem.requireScalar(problem.scalar("a"), of: ["a", "b"])
        let size = try problem.openCLElementSize("a")
        let shapes = (
          try problem.sizes("cond"), try problem.sizes("a"), try problem.sizes("b"), try problem.outputSizes()
        )
        let (condition, a, b) = (try problem.slot("cond"), try problem.slot("a"), try problem.slot("b"))
        return Candidate(efficiency: 0.1) {
          let launch = try CLSelect(
            context, elementSize: size, condition: shapes.0, x: shapes.1, y: shapes.2, output: shapes.3)
          return .openCL { frame in
            try launch.enqueue(
              on: frame.queue, condition: frame.inputs[condition], x: frame.inputs[a], y: frame.inputs[b],
              z: frame.outputs[0])
          }
        }
      },
      KernelImplementation("prelu.opencl", for: "prelu", on: .openCL, mixesPrecisions: true) { problem in
        let f16 = try problem.openCLF16Operands(["x": .first, "alpha": .second])
        let context = try problem.requireOpenCL()
        let sizes = try problem.sizes("x")
        let factors = try problem.sizes("alpha") + [Int](repeating: 1, count: max(sizes.count - 2, 0))
        let (x, alpha) = (try problem.slot("x"), try problem.slot("alpha"))
        return Candidate(efficiency: 0.1) {
          let launch = try CLBinary(context, "prelu", of: .float, x: sizes, y: factors, output: sizes, f16: f16)
          return .openCL { frame in
            try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.inputs[alpha], z: frame.outputs[0])
          }
        }
      },
      KernelImplementation("logical_not.opencl", for: "logical_not", on: .openCL) { problem in
        try problem.requireScalar(.bool, of: ["x"])
        let context = try problem.requireOpenCL()
        let count = try problem.outputSizes().reduce(1, *)
        let x = try problem.slot("x")
        return Candidate(efficiency: 0.1) {
          let launch = try CLCast(context, negating: count)
          return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
        }
      },
      KernelImplementation("cast.opencl", for: "cast", on: .openCL, mixesPrecisions: true) { problem in
        let context = try problem.requireOpenCL()
        let from = try problem.openCLScalar("x")
        let to = try kernelScalar(problem.outputs[0].scalar, "the output")
        let count = try problem.outputSizes().reduce(1, *)
        let x = try problem.slot("x")
        return Candidate(efficiency: 0.1) {
          let launch = try CLCast(context, from: from, to: to, count: count)
          return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
        }
      },
    ]

  private static let binaryNames = [
    "add", "sub", "mul", "real_div", "floor_div", "mod", "maximum", "minimum", "pow", "equal", "not_equal", "greater",
    "greater_equal", "less", "less_equal", "logical_and", "logical_or", "logical_xor",
  ]

  /// A kernel of one input, whose function depends on the operation's arguments.
  private static func openCLUnary(
    _ name: String, _ function: @escaping @Sendable (Invocation) throws -> CLFunction
  ) -> KernelImplementation {
    KernelImplementation("\(name).opencl", for: name, on: .openCL, mixesPrecisions: true) { problem in
      let f16 = try problem.openCLF16Operands()
      let context = try problem.requireOpenCL()
      let function = try problem.known { try function(problem.invocation) }
      let count = try problem.outputSizes().reduce(1, *)
      let x = try problem.slot("x")
      return Candidate(efficiency: 0.1) {
        let launch = try CLUnary(context, function, count: count, f16: f16)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    }
  }

  /// The name of an operation of one input in `functions.cl`, without `op_`. It is the operation's name without its
  /// prefix, or, for a mode of `gelu`, the name that matches the C kernels' function.
  static func functionName(_ name: String, _ op: ck_unary_op? = nil) -> String {
    switch op {
    case CK_UNARY_GELU_TANH: "gelu_tanh"
    case CK_UNARY_GELU_SIGMOID: "gelu_sigmoid"
    default: name.split(separator: ".").last.map(String.init) ?? name
    }
  }

  fileprivate static func kernelScalar(_ scalar: ScalarType, _ what: String) throws -> CLScalar {
    switch scalar {
    case .float32: return .float
    case .float16: return .half
    case .int32: return .int
    case .bool: return .bool
    case .int8: return .int8
    case .uint8: return .uint8
    case .int16: return .int16
    case .uint16: return .uint16
    default:
      throw Refusal("\(what) is \(scalar.rawValue), the kernel takes fp32, fp16, bool and integers of up to int32")
    }
  }
}

extension KernelProblem {
  /// The kernels' name for the type of an argument.
  func openCLScalar(_ name: String) throws -> CLScalar {
    try OpenCLElementwiseKernels.kernelScalar(scalar(name), "'\(name)'")
  }

  /// Bytes of one element of an argument that is moved without being interpreted.
  func openCLElementSize(_ name: String, _ index: Int = 0) throws -> Int {
    let size = try elementSize(name, index)
    return try Refusal.onLaunchError {
      _ = try clMoveType(size)
      return size
    }
  }
}
