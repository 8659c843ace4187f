import CKernels
import MIL

extension KernelRegistry {
  /// Kernels for chains of functions.
  static let pointwiseKernels: [KernelImplementation] = [
    KernelImplementation("pointwise.tiles", for: "fused.pointwise") { try PointwiseTiles($0).candidate },
    KernelImplementation("pointwise.nchwc", for: "fused.pointwise") { try PointwiseBlocks($0).candidate },
    KernelImplementation("pointwise.opencl", for: "fused.pointwise", on: .openCL, mixesPrecisions: true) { problem in
      let context = try problem.requireOpenCL()
      let program = try problem.known { try PointwiseProgram(problem.invocation) }
      let slots = try (0..<problem.invocation.count("values")).map { try problem.slot("values", $0) }
      let operands = try slots.indices.map { number in
        CLPointwise.Operand(
          sizes: try problem.sizes("values", number),
          isF16: try problem.isF16(problem.scalar("values", number), "'values'"))
      }
      let steps = try program.steps.map { step in
        let call = program.invocation(of: step, problem.invocation, [(.tensor(problem.outputs[0]), nil)])
        return CLPointwise.Step(
          function: step.arguments.count == 2
            ? nil : try openCLChecked { try openCLFunction(call, problem.known { try unaryFunction(call) }) },
          name: step.operation, arguments: step.arguments)
      }
      let output = CLPointwise.Operand(
        sizes: try problem.outputSizes(), isF16: try problem.isF16(problem.outputs[0].scalar, "the output"))
      try openCLChecked { try CLPointwise.check(operands, steps) }
      let label = problem.invocation.operation.label
      return Candidate(efficiency: 0.1) {
        let launch = try CLPointwise(context, operands, output, steps, for: label)
        return .openCL { frame in try launch.enqueue(frame, slots) }
      }
    },
  ]

  /// Limit for the operands of `fused.pointwise`.
  package static func mostPointwiseValues(on device: DeviceKind) -> Int { device == .openCL ? CLPointwise.most : 12 }

  /// The C kernels' function for an operation of one operand.
  static func unaryFunction(_ call: Invocation) throws -> (op: ck_unary_op, alpha: Float, beta: Float) {
    if call.operation.type == "fused.activation" { return try FusedActivation(call).unary }
    guard let function = unaryByName[call.operation.type] else {
      throw Refusal("there is no vector kernel for '\(call.operation.type)'")
    }
    let (op, alpha, beta) = try function(call)
    return (op, alpha, beta)
  }

  private static let unaryByName = Dictionary(unary, uniquingKeysWith: { first, _ in first })

  /// The OpenCL kernels' function for it.
  private static func openCLFunction(
    _ call: Invocation, _ function: (op: ck_unary_op, alpha: Float, beta: Float)
  ) throws -> CLFunction {
    if call.operation.type == "fused.activation" { return try CLFunction(FusedActivation(call)) }
    return try CLFunction(
      openCLName(call.operation.type, function.op), alpha: function.alpha, beta: function.beta)
  }
}
