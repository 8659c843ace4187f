/// Work that must end in time.
enum Deadline {
  /// Cancels the work once it has taken too long.
  ///
  /// - Throws: ``DeliveryError`` `timedOut`, and what the work throws.
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
