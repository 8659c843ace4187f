import CoreMLExecution
import CoreMLKernels
import MIL

/// A description of a plan, step by step.
package struct PlanReport: Sendable, Encodable {
  package struct Step: Sendable, Encodable {
    /// The operation's type, for example `conv`.
    package let operation: String
    /// The name of its first output.
    package let output: String
    /// The operations or layers of the model file that the step computes.
    package let origins: [String]
    package let device: String
    /// The name of the kernel. Steps without a kernel have `copy`, `state`, `blocks` or `at run time`.
    package let kernel: String
    /// The estimated time in seconds.
    package let cost: Double
    package let shape: String
    /// The kernels that were rejected, and why.
    package let passedOver: [Refusal]
    /// The plans of the blocks of a loop or a branch.
    package let blocks: [PlannedBlock]
  }

  package struct PlannedBlock: Sendable, Encodable {
    /// `condition` and `body` for a loop, `true` and `false` for a branch.
    package let name: String
    package let steps: [Step]
  }

  package struct Refusal: Sendable, Encodable {
    package let kernel: String
    package let reason: String
  }

  package let function: String
  package let steps: [Step]
  /// The bytes for intermediate results, by device; the first device is the CPU.
  package let arenaBytes: [Int]
  package let scratchBytes: [Int]
  /// The devices and kernels that were excluded during planning, and why.
  package let notes: [String]

  init(_ plan: Plan, function: String) {
    self.function = function
    arenaBytes = plan.arenaBytes
    scratchBytes = plan.scratchBytes
    notes = plan.notes
    steps = Self.steps(plan)
  }

  private static func steps(_ plan: Plan) -> [Step] {
    plan.steps.map { step in
      let kernel: String
      var blocks: [PlannedBlock] = []
      switch step.action {
      case .kernel: kernel = step.choice.kernel
      case .evaluate: kernel = "at run time"
      case .control(let flow):
        kernel = "blocks"
        blocks = flow.plans.map { PlannedBlock(name: $0.name, steps: steps($0.plan)) }
      case .readState, .writeState: kernel = "state"
      case .upload, .download: kernel = "copy"
      }
      return Step(
        operation: step.choice.operation.type, output: step.choice.operation.outputs.first?.name ?? "",
        origins: step.choice.operation.named, device: step.choice.device.rawValue, kernel: kernel,
        cost: step.choice.cost,
        shape: step.outputs.first.map { "\(plan.slots[$0].type)" } ?? "",
        passedOver: step.choice.refusals.map { Refusal(kernel: $0.kernel, reason: $0.reason) }, blocks: blocks)
    }
  }

  /// The estimated time of one prediction in seconds.
  package var cost: Double { steps.reduce(0) { $0 + $1.cost } }
}
