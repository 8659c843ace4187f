import CKernels
import MIL

extension KernelTable {
  /// OpenCL rows that work element by element.
  static let openCLElementwiseRows: [Row] =
    unary.filter { CLFunction.names.contains(openCLName($0.0)) }.map { name, function in
      openCLUnary(name) { call in
        let (op, alpha, beta) = try function(call)
        return try openCLChecked { try CLFunction(openCLName(name, op), alpha: alpha, beta: beta) }
      }
    }
    + [openCLUnary("fused.activation") { call in try openCLChecked { try CLFunction(FusedActivation(call)) } }]
    + binaryNames.map { name in
      Row("\(name).opencl", for: name, on: .openCL, mixesHalves: true) { site in
        let (scalar, other) = (try site.openCLScalar("x").widened, try site.openCLScalar("y").widened)
        guard scalar == other else { throw Refusal("'y' is \(other.rawValue), 'x' \(scalar.rawValue)") }
        let context = try site.requireOpenCL()
        let result = try openCLChecked { try CLBinary.result(of: name, scalar) }
        guard try openCLScalar(site.outputs[0].scalar, "the output").widened == result else {
          throw Refusal("the output is \(site.outputs[0].scalar.rawValue), the kernel gives \(result.rawValue)")
        }
        var halves = scalar == .float ? try site.openCLHalves(["x": .first, "y": .second], result: false) : .none
        if site.outputs[0].scalar == .float16 { halves.insert(.result) }
        let taken = halves
        let (a, b, c) = (try site.sizes("x"), try site.sizes("y"), try site.outputSizes())
        let (x, y) = (try site.slot("x"), try site.slot("y"))
        return Offer(efficiency: 0.1) {
          let launch = try CLBinary(context, name, of: scalar, x: a, y: b, output: c, halves: taken)
          return .openCL { frame in
            try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.inputs[y], z: frame.outputs[0])
          }
        }
      }
    } + [
      Row("select.opencl", for: "select", on: .openCL) { site in
        try site.requireScalar(.bool, of: ["cond"])
        let context = try site.requireOpenCL()
        try site.requireScalar(site.scalar("a"), of: ["a", "b"])
        let size = try site.openCLElementSize("a")
        let shapes = (try site.sizes("cond"), try site.sizes("a"), try site.sizes("b"), try site.outputSizes())
        let (condition, a, b) = (try site.slot("cond"), try site.slot("a"), try site.slot("b"))
        return Offer(efficiency: 0.1) {
          let launch = try CLSelect(
            context, elementSize: size, condition: shapes.0, x: shapes.1, y: shapes.2, output: shapes.3)
          return .openCL { frame in
            try launch.enqueue(
              on: frame.queue, condition: frame.inputs[condition], x: frame.inputs[a], y: frame.inputs[b],
              z: frame.outputs[0])
          }
        }
      },
      Row("prelu.opencl", for: "prelu", on: .openCL, mixesHalves: true) { site in
        let halves = try site.openCLHalves(["x": .first, "alpha": .second])
        let context = try site.requireOpenCL()
        let sizes = try site.sizes("x")
        let factors = try site.sizes("alpha") + [Int](repeating: 1, count: max(sizes.count - 2, 0))
        let (x, alpha) = (try site.slot("x"), try site.slot("alpha"))
        return Offer(efficiency: 0.1) {
          let launch = try CLBinary(context, "prelu", of: .float, x: sizes, y: factors, output: sizes, halves: halves)
          return .openCL { frame in
            try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.inputs[alpha], z: frame.outputs[0])
          }
        }
      },
      Row("logical_not.opencl", for: "logical_not", on: .openCL) { site in
        try site.requireScalar(.bool, of: ["x"])
        let context = try site.requireOpenCL()
        let count = try site.outputSizes().reduce(1, *)
        let x = try site.slot("x")
        return Offer(efficiency: 0.1) {
          let launch = try CLCast(context, negating: count)
          return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
        }
      },
      Row("cast.opencl", for: "cast", on: .openCL, mixesHalves: true) { site in
        let context = try site.requireOpenCL()
        let from = try site.openCLScalar("x")
        let to = try openCLScalar(site.outputs[0].scalar, "the output")
        let count = try site.outputSizes().reduce(1, *)
        let x = try site.slot("x")
        return Offer(efficiency: 0.1) {
          let launch = try CLCast(context, from: from, to: to, count: count)
          return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
        }
      },
    ]

  private static let binaryNames = [
    "add", "sub", "mul", "real_div", "floor_div", "mod", "maximum", "minimum", "pow", "equal", "not_equal", "greater",
    "greater_equal", "less", "less_equal", "logical_and", "logical_or", "logical_xor",
  ]

  /// A row of one input, whose function the operation's arguments say.
  private static func openCLUnary(
    _ name: String, _ function: @escaping @Sendable (Invocation) throws -> CLFunction
  ) -> Row {
    Row("\(name).opencl", for: name, on: .openCL, mixesHalves: true) { site in
      let halves = try site.openCLHalves()
      let context = try site.requireOpenCL()
      let function = try site.known { try function(site.invocation) }
      let count = try site.outputSizes().reduce(1, *)
      let x = try site.slot("x")
      return Offer(efficiency: 0.1) {
        let launch = try CLUnary(context, function, count: count, halves: halves)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    }
  }

  /// What `functions.cl` calls an operation of one input, without `op_`: the operation's name without its prefix, and for a mode of `gelu` the
  /// function that the C kernels have for it.
  static func openCLName(_ name: String, _ op: ck_unary_op? = nil) -> String {
    switch op {
    case CK_UNARY_GELU_TANH: "gelu_tanh"
    case CK_UNARY_GELU_SIGMOID: "gelu_sigmoid"
    default: name.split(separator: ".").last.map(String.init) ?? name
    }
  }

  fileprivate static func openCLScalar(_ scalar: ScalarType, _ what: String) throws -> CLScalar {
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

extension Site {
  /// What the kernels call the type of an argument.
  func openCLScalar(_ name: String) throws -> CLScalar {
    try KernelTable.openCLScalar(scalar(name), "'\(name)'")
  }

  /// Bytes of one element of an argument that is moved without being looked at.
  func openCLElementSize(_ name: String, _ index: Int = 0) throws -> Int {
    let size = try elementSize(name, index)
    return try KernelTable.openCLChecked {
      _ = try clMoveType(size)
      return size
    }
  }
}
