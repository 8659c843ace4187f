import MIL

extension Engine {
  /// The largest number of predictions with these inputs that benefit from sharing reads of the model's weights; 1 if
  /// they do not.
  package func largestGroup(_ inputs: [String: Value]) throws -> Int {
    guard devices.isOnCPU, stateTypes.isEmpty else { return 1 }
    return try budget.during { try GroupedSessions(plan(for: inputs))?.most ?? 1 }
  }

  /// Runs predictions that share each read of large weights. Each result is bit-identical to that of a separate run.
  /// `writing` and `read` are as in `run`, with the number of the prediction added.
  ///
  /// - Returns: The number of predictions computed, starting with the first; at least one. The group ends at the first
  ///   input of another shape, or where memory does not suffice.
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
