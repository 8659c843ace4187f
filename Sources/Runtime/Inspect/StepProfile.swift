import CoreMLExecution
import Foundation
import MIL

/// Measures a model operation by operation.
package struct StepProfile: Sendable, Encodable {
  package struct Step: Sendable, Encodable {
    package let operation: String
    package let output: String
    /// The operations or layers of the model's file that it stands for.
    package let origins: [String]
    package let device: String
    package let kernel: String
    /// Median over the runs, in seconds.
    package let seconds: Double
  }

  package let steps: [Step]

  /// Runs `input` `iterations` times, after one run to warm up. On an OpenCL device, which works on while the CPU goes ahead, what the
  /// steps cost is seen where results are waited for.
  package init(_ model: MLModel, input: any MLFeatureProvider, iterations: Int) throws {
    let clock = Clock()
    let prediction = Prediction(model)
    func run() throws -> Plan? {
      clock.times.removeAll(keepingCapacity: true)
      _ = try prediction.run(
        input, options: MLPredictionOptions(), states: StateBuffers(types: model.engine.stateTypes),
        shouldStop: { clock.tick() })
      clock.times.append(ProcessInfo.processInfo.systemUptime)
      return model.engine.planUsedLast
    }
    steps = try MLModelError.wrapping(.generic) {
      guard let plan = try run() else { return [] }
      var samples = Array(repeating: [Double](), count: plan.steps.count)
      for _ in 0..<max(iterations, 1) {
        _ = try run()
        guard clock.times.count == plan.steps.count + 1 else { continue }
        for step in plan.steps.indices { samples[step].append(clock.times[step + 1] - clock.times[step]) }
      }
      return zip(PlanReport(plan, function: "").steps, samples).map { step, times in
        Step(
          operation: step.operation, output: step.output, origins: step.origins, device: step.device,
          kernel: step.kernel,
          seconds: times.isEmpty ? 0 : times.sorted()[times.count / 2])
      }
    }
  }

  /// The session asks before every step whether to stop: that is when the step before it ends.
  private final class Clock {
    var times: [Double] = []
    func tick() -> Bool {
      times.append(ProcessInfo.processInfo.systemUptime)
      return false
    }
  }
}
