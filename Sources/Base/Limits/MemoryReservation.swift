/// Memory that is taken from the current budget until the last reference is gone.
package final class MemoryReservation: Sendable {
  private let budget: MemoryBudget
  private let bytes: Int

  /// - Throws: `LimitError` of code `.outOfMemory`, with the purpose, the size and the limit.
  package init(_ bytes: Int, for purpose: @autoclosure () -> String) throws {
    let budget = MemoryBudget.current
    try budget.reserve(bytes, for: purpose())
    (self.budget, self.bytes) = (budget, bytes)
  }

  deinit { budget.release(bytes) }
}
