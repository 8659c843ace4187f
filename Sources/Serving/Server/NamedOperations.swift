import CoreMLServingInterface

/// Loads and unloads of models: one at a time for each model. Equal ones at the same time are one.
actor NamedOperations {
  typealias Outcome = Result<Void, ServingError>

  private struct Running {
    var kind: String
    var task: Task<Outcome, Never>
  }

  private var running: [String: Running] = [:]

  func run(_ name: String, kind: String, _ body: @escaping @Sendable () async -> Outcome) async -> Outcome {
    while let other = running[name] {
      let outcome = await other.task.value
      if running[name]?.task == other.task { running[name] = nil }
      if other.kind == kind { return outcome }
    }
    let task = Task { await body() }
    running[name] = Running(kind: kind, task: task)
    let outcome = await task.value
    if running[name]?.task == task { running[name] = nil }
    return outcome
  }
}
