import CoreMLKernels
import MIL

/// Several predictions of one plan that go through its large weights together. A prediction by itself waits for memory to give each weight
/// of a product of a few rows; of several, each piece of such a weight is read once and used for all. Between these steps each prediction
/// runs by itself, so that what it works on stays in the caches.
struct GroupedSessions {
  private let plan: Plan
  private let passes: [(step: Int, pass: WeightPass)]
  /// How many predictions may go together: what each works in takes memory.
  let most: Int

  /// Smaller weights are in a cache when the next prediction comes.
  private static let leastBytes = 1 << 20
  /// Bytes that predictions may work in together, and the share of the weights that it may be where this is more.
  private static let (mostBytes, share) = (32 << 20, 4)
  /// Of more predictions each would save next to nothing.
  private static let mostSessions = 16

  /// Nil where predictions would gain nothing from each other.
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

  /// Runs sessions of the plan that have their inputs.
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
