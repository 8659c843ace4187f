/// The memory budget and the cancellation of the current thread's work, for use on another thread.
package struct WorkBounds: Sendable {
  private let budget = MemoryBudget.given
  private let cancellation = Cancellation.current

  package init() {}

  package func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    try MemoryBudget.$given.withValue(budget) {
      try Cancellation.$current.withValue(cancellation) { try body() }
    }
  }
}
