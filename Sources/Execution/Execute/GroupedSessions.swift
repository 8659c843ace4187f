import CoreMLKernels
import MIL

/// Several predictions of one plan that share each read of its large weights. A product of few rows is limited by the
/// memory bandwidth for its weights. A group reads each part of such a weight once and uses it for all predictions.
/// Between these steps, each prediction runs separately, so that its working set stays in the caches.
struct GroupedSessions {
  private let plan: Plan
  private let passes: [(step: Int, pass: WeightPass)]
  /// The largest number of predictions in a group. Each needs working memory.
  let most: Int

  /// Smaller weights are still in a cache when the next prediction reads them.
  private static let leastBytes = 1 << 20
  /// Limits of the group's total working memory: `mostBytes`, or the weight bytes divided by `share`, whichever is
  /// larger.
  private static let (mostBytes, share) = (32 << 20, 4)
  /// With more predictions, the additional saving per prediction is negligible.
  private static let mostSessions = 16

  /// Nil if predictions do not benefit from grouping.
  init?(_ plan: Plan) {
    guard plan.isOnHost else { return nil }
    passes = plan.steps.enumerated().compactMap { number, step in
      guard case .kernel(.cpu(_, let pass?)) = step.action, pass.byteCount >= Self.leastBytes else { return nil }
      return (number, pass)
    }
    let weights = passes.reduce(0) { $0 + $1.pass.byteCount }
    let own = max(plan.arenaBytes[0] + plan.scratchBytes[0], 1)
    (self.plan, most) = (plan, min(max(Self.mostBytes, weights / Self.share) / own, Self.mostSessions))
    guard most > 1, weights >= 8 * Self.leastBytes else { return nil }
  }

  /// Runs sessions of the plan whose inputs have been set.
  func run(_ sessions: [Session], _ states: StateBuffers, shouldStop: (() -> Bool)?) throws {
    for session in sessions { try session.prepare(states) }
    var next = 0
    for (step, pass) in passes {
      for session in sessions { try session.runSteps(next..<step, states, shouldStop) }
      var frames: [CPUFrame] = []
      Self.withFrames(of: sessions[...], step, &frames) { pass($0) }
      next = step + 1
    }
    for session in sessions { try session.runSteps(next..<plan.steps.count, states, shouldStop) }
  }

  private static func withFrames(
    of sessions: ArraySlice<Session>, _ step: Int, _ frames: inout [CPUFrame], _ body: ([CPUFrame]) -> Void
  ) {
    guard let session = sessions.first else { return body(frames) }
    session.withFrame(step) { frame in
      frames.append(frame)
      withFrames(of: sessions.dropFirst(), step, &frames, body)
    }
  }
}
