import CoreMLExecution
import CoreMLKernels
import Foundation
import MIL

/// A profile of a model, step by step.
package struct StepProfile: Sendable, Encodable {
  package struct Step: Sendable, Encodable {
    package let operation: String
    package let output: String
    /// The operations or layers of the model file that the step computes.
    package let origins: [String]
    package let device: String
    package let kernel: String
    /// The median time over the runs, in seconds.
    package let seconds: Double
    /// The floating-point operations and the bytes moved, if they are known before the run.
    package let flops: Double?
    package let bytes: Double?
    /// The shortest time that this machine needs according to the roofline model, divided by the measured time. Nil on
    /// other devices, and if the work is unknown.
    package let rooflineShare: Double?

    package var gigaflopsPerSecond: Double? { rate(flops) }
    package var gigabytesPerSecond: Double? { rate(bytes) }

    private func rate(_ amount: Double?) -> Double? { amount.flatMap { seconds > 0 ? $0 / seconds / 1e9 : nil } }
  }

  package let steps: [Step]
  /// The peak rates of this machine, measured after the runs on the same threads.
  package let roofline: Roofline

  /// Runs `input` `iterations` times after one warm-up run. The time of a step on an OpenCL device is the time of its
  /// kernels by the device's clock, each awaited separately. Back-to-back launches, as in a prediction, take less than
  /// the sum of these times.
  package init(_ model: MLModel, input: any MLFeatureProvider, iterations: Int) throws {
    let (clock, deviceClock) = (Clock(), DeviceClock())
    let prediction = try Prediction(model.content)
    func run() throws -> Plan? {
      clock.times.removeAll(keepingCapacity: true)
      _ = deviceClock.take()
      _ = try deviceClock.during {
        try prediction.run(
          input, options: MLPredictionOptions(), states: StateBuffers(types: model.engine.stateTypes),
          shouldStop: { clock.tick() })
      }
      clock.times.append(ProcessInfo.processInfo.systemUptime)
      return model.engine.planUsedLast
    }
    (steps, roofline) = try MLModelError.wrapping(.generic) {
      guard let plan = try run() else { return ([], Roofline(measuring: .caller)) }
      var samples = Array(repeating: [Double](), count: plan.steps.count)
      for _ in 0..<max(iterations, 1) {
        _ = try run()
        guard clock.times.count == plan.steps.count + 1 else { continue }
        let onDevice = deviceClock.take()[ObjectIdentifier(plan)] ?? [:]
        for step in plan.steps.indices {
          samples[step].append(onDevice[step] ?? clock.times[step + 1] - clock.times[step])
        }
      }
      let roofline = Roofline(measuring: plan.pool)
      let steps = zip(zip(plan.steps, PlanReport(plan, function: "").steps), samples).map { step, times in
        let seconds = times.isEmpty ? 0 : times.sorted()[times.count / 2]
        let work = step.0.choice.work
        let least = step.0.choice.device == .cpu ? work.map(roofline.seconds(of:)) : nil
        return Step(
          operation: step.1.operation, output: step.1.output, origins: step.1.origins, device: step.1.device,
          kernel: step.1.kernel, seconds: seconds, flops: work?.flops, bytes: work?.bytes,
          rooflineShare: least.flatMap { seconds > 0 ? $0 / seconds : nil })
      }
      return (steps, roofline)
    }
  }

  /// Records when a step ends. The session calls `tick` before every step, as its `shouldStop`.
  private final class Clock {
    var times: [Double] = []
    func tick() -> Bool {
      times.append(ProcessInfo.processInfo.systemUptime)
      return false
    }
  }
}
