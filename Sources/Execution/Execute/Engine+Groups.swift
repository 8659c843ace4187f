import MIL

extension Engine {
  /// How many predictions of these inputs gain by going through the model's weights together; 1 where they do not.
  package func largestGroup(_ inputs: [String: Value]) throws -> Int {
    guard devices.isOnCPU, stateTypes.isEmpty else { return 1 }
    return try budget.during { try GroupedSessions(plan(for: inputs))?.most ?? 1 }
  }

  /// Predictions that go through large weights together; each gives what it gives by itself, bit by bit. `writing` and `read` are those of
  /// `run`, with the number of the prediction. How many were computed, from the first on, one at least: all that are of one shape, where there is
  /// memory for them at once.
  package func runGroup(
    _ inputs: [[String: Value]],
    writing memory: (_ number: Int, _ output: String, _ type: TensorType) throws -> UnsafeMutableRawPointer?,
    read: (_ number: Int, _ values: [(name: String, value: Value)]) throws -> Void
  ) throws -> Int {
    guard let first = inputs.first else { return 0 }
    return try budget.during {
      let plan = try plan(for: first)
      let together = GroupedSessions(plan)
      // Another shape has another plan.
      let alike = try inputs.prefix { try self.plan(for: $0) === plan }.count
      let states = try freshStates()
      return try sessions.with(plan, upTo: min(alike, together?.most ?? 1), shouldStop: nil) { sessions in
        for (number, session) in sessions.enumerated() {
          try bind(session, inputs[number]) { try memory(number, $0, $1) }
        }
        try pool.whileAtWork {
          if let together, sessions.count > 1 {
            try together.run(sessions, states, shouldStop: nil)
          } else {
            try sessions[0].run(states: states, shouldStop: nil)
          }
        }
        for (number, session) in sessions.enumerated() {
          try read(number, plan.outputs.map { ($0.name, try session.value($0.slot)) })
          session.release()
        }
        return sessions.count
      }
    }
  }
}
