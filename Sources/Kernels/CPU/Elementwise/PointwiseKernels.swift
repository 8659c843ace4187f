import CKernels
import MIL

/// Kernels for chains of functions.
enum PointwiseKernels {
  static let all: [KernelImplementation] = [
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
            ? nil
            : try Refusal.onLaunchError {
              try openCLFunction(call, problem.known { try UnaryFunctions.function(of: call) })
            },
          name: step.operation, arguments: step.arguments)
      }
      let output = CLPointwise.Operand(
        sizes: try problem.outputSizes(), isF16: try problem.isF16(problem.outputs[0].scalar, "the output"))
      try Refusal.onLaunchError { try CLPointwise.check(operands, steps) }
      let label = problem.invocation.operation.label
      return Candidate(efficiency: 0.1) {
        let launch = try CLPointwise(context, operands, output, steps, for: label)
        return .openCL { frame in try launch.enqueue(frame, slots) }
      }
    },
  ]

  /// The OpenCL kernels' function for an operation of one operand.
  private static func openCLFunction(
    _ call: Invocation, _ function: (op: ck_unary_op, alpha: Float, beta: Float)
  ) throws -> CLFunction {
    if call.operation.type == "fused.activation" { return try CLFunction(FusedActivation(call)) }
    return try CLFunction(
      OpenCLElementwiseKernels.functionName(call.operation.type, function.op), alpha: function.alpha,
      beta: function.beta)
  }
}
