/// What bounds the work on the current thread, to be carried to another one.
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
