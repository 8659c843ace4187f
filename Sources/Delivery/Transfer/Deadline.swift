/// Limits the duration of asynchronous work.
enum Deadline {
  /// Cancels the work when the time limit expires.
  ///
  /// - Throws: ``DeliveryError`` `timedOut`, and the errors of the work.
  static func run<Result: Sendable>(
    within time: Duration?, or sentence: String, _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    guard let time else { return try await work() }
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await work() }
      group.addTask {
        try await Pause.wait(time)
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let result = first else {
        try Task.checkCancellation()
        throw DeliveryError(.timedOut, "\(sentence) (\(time))")
      }
      return result
    }
  }
}
