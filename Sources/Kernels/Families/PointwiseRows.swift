import CKernels
import MIL

extension KernelTable {
  /// Rows of chains of functions.
  static let pointwiseRows: [Row] = [
    Row("pointwise.tiles", for: "fused.pointwise") { try PointwiseTiles($0).offer },
    Row("pointwise.blocked", for: "fused.pointwise") { try PointwiseBlocks($0).offer },
    Row("pointwise.opencl", for: "fused.pointwise", on: .openCL, mixesHalves: true) { site in
      let context = try site.requireOpenCL()
      let program = try site.known { try PointwiseProgram(site.invocation) }
      let slots = try (0..<site.invocation.count("values")).map { try site.slot("values", $0) }
      let operands = try slots.indices.map { number in
        CLPointwise.Operand(
          sizes: try site.sizes("values", number),
          isHalf: try site.isHalf(site.scalar("values", number), "'values'"))
      }
      let steps = try program.steps.map { step in
        let call = program.invocation(of: step, site.invocation, [(.tensor(site.outputs[0]), nil)])
        return CLPointwise.Step(
          function: step.arguments.count == 2
            ? nil : try openCLChecked { try openCLFunction(call, site.known { try unaryFunction(call) }) },
          name: step.operation, arguments: step.arguments)
      }
      let output = CLPointwise.Operand(
        sizes: try site.outputSizes(), isHalf: try site.isHalf(site.outputs[0].scalar, "the output"))
      try openCLChecked { try CLPointwise.check(operands, steps) }
      let label = site.invocation.operation.label
      return Offer(efficiency: 0.1) {
        let launch = try CLPointwise(context, operands, output, steps, for: label)
        return .openCL { frame in try launch.enqueue(frame, slots) }
      }
    },
  ]

  /// Tensors that the rows of `fused.pointwise` take.
  package static func mostPointwiseValues(on device: DeviceKind) -> Int { device == .openCL ? CLPointwise.most : 12 }

  /// What the C kernels call an operation of one number.
  static func unaryFunction(_ call: Invocation) throws -> (op: ck_unary_op, alpha: Float, beta: Float) {
    if call.operation.type == "fused.activation" { return try FusedActivation(call).unary }
    guard let function = unaryByName[call.operation.type] else {
      throw Refusal("there is no vector kernel for '\(call.operation.type)'")
    }
    let (op, alpha, beta) = try function(call)
    return (op, alpha, beta)
  }

  private static let unaryByName = Dictionary(unary, uniquingKeysWith: { first, _ in first })

  /// What the OpenCL kernels call it.
  private static func openCLFunction(
    _ call: Invocation, _ function: (op: ck_unary_op, alpha: Float, beta: Float)
  ) throws -> CLFunction {
    if call.operation.type == "fused.activation" { return try CLFunction(FusedActivation(call)) }
    return try CLFunction(
      openCLName(call.operation.type, function.op), alpha: function.alpha, beta: function.beta)
  }
}
