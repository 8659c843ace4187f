import Synchronization

/// A limit on the memory that work may hold at one time. An allocation that exceeds it is refused with an explanation,
/// before it reaches the system.
///
/// Work uses the budget set by `during`; all other work shares `machine`. Tensors and sessions take their memory from
/// the budget when they are allocated and return it when they are freed (`reserve`, `release`). Swift arrays cannot
/// fail an allocation, so code that creates a large one calls `admit` first.
package final class MemoryBudget: Sendable {
  private let bound: Atomic<Int>
  /// The enclosing budget. Memory must fit into both.
  private let parent: MemoryBudget?
  private let held = Atomic<Int>(0)
  private let holders = Mutex<[Weak]>([])

  private struct Weak: Sendable {
    weak var holder: (any MemoryHolder)?
  }

  package init(limit: Int, within parent: MemoryBudget? = .machine) {
    bound = Atomic(max(limit, 0))
    self.parent = parent
  }

  /// Bytes that may be held at one time.
  package internal(set) var limit: Int {
    get { bound.load(ordering: .relaxed) }
    set { bound.store(max(newValue, 0), ordering: .relaxed) }
  }

  /// The budget of the process: `COREML_MEMORY_LIMIT`, or the capacity of the machine and of the process's control
  /// group.
  package static let machine = MemoryBudget(
    limit: min((try? RuntimeLimits.inForce())?.memory ?? .max, SystemMemory.capacity), within: nil)

  /// The budget set for the current thread's work.
  @TaskLocal package static var given: MemoryBudget?

  package static var current: MemoryBudget { given ?? machine }

  /// Runs `body` with this budget as the current one.
  package func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$given.withValue(self) { try body() }
  }

  package var bytesHeld: Int { held.load(ordering: .relaxed) }

  // MARK: reservations

  /// Takes `bytes` from the budget. The caller must return them with `release`.
  ///
  /// - Throws: `LimitError` of code `.outOfMemory`, with the purpose, the size and the limit.
  package func reserve(_ bytes: Int, for purpose: @autoclosure () -> String) throws {
    guard bytes > 0 else { return }
    try yielding {
      try SystemMemory.requireAvailable(bytes, for: purpose())
      try take(bytes, purpose)
    }
  }

  package func release(_ bytes: Int) {
    guard bytes > 0 else { return }
    held.subtract(bytes, ordering: .relaxed)
    parent?.release(bytes)
  }

  private func take(_ bytes: Int, _ purpose: () -> String) throws {
    var before = held.load(ordering: .relaxed)
    while true {
      guard bytes <= limit - before else { throw refusal(bytes, held: before, purpose()) }
      let (exchanged, found) = held.compareExchange(expected: before, desired: before + bytes, ordering: .relaxed)
      if exchanged { break }
      before = found
    }
    do { try parent?.take(bytes, purpose) } catch {
      held.subtract(bytes, ordering: .relaxed)
      throw error
    }
  }

  // MARK: temporary memory

  /// Checks that there is room for `bytes` of short-lived memory, for example the arrays of a reference kernel.
  package func admit(_ bytes: Int, for purpose: @autoclosure () -> String) throws {
    guard bytes >= Self.smallest else { return }
    try yielding {
      var budget: MemoryBudget? = self
      while let level = budget {
        let held = level.bytesHeld
        guard bytes <= level.limit - held else { throw level.refusal(bytes, held: held, purpose()) }
        budget = level.parent
      }
      try SystemMemory.requireAvailable(bytes, for: purpose())
      try SystemMemory.requireAddressable(bytes, for: purpose())
    }
  }

  /// `admit` for `count` elements of `size` bytes. If the product overflows, the memory is refused.
  package func admit(_ count: Int, of size: Int, for purpose: @autoclosure () -> String) throws {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
    try admit(overflow ? .max : bytes, for: purpose())
  }

  /// Smaller sizes are not checked. They are small compared to what the process uses anyway.
  private static let smallest = 1 << 20

  // MARK: memory that can be freed

  /// Adds a holder, which is called to free memory before an allocation is refused. The reference is weak.
  package func add(_ holder: any MemoryHolder) {
    holders.withLock { all in
      all.removeAll { $0.holder == nil }
      all.append(Weak(holder: holder))
    }
  }

  /// Runs `body`. If it runs out of memory, calls the holders to free memory and runs it once more.
  package func yielding<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as LimitError where error.code == .outOfMemory {
      var budget: MemoryBudget? = self
      var all: [any MemoryHolder] = []
      while let level = budget {
        all += level.holders.withLock { $0.compactMap(\.holder) }
        budget = level.parent
      }
      guard !all.isEmpty else { throw error }
      for holder in all { holder.giveBackMemory() }
      return try body()
    }
  }

  private func refusal(_ bytes: Int, held: Int, _ purpose: String) -> LimitError {
    let taken = held > 0 ? ", of which \(MemorySize.text(held)) are in use" : ""
    return LimitError(
      .outOfMemory, "\(purpose) needs \(MemorySize.text(bytes)); the memory limit is \(MemorySize.text(limit))\(taken)")
  }
}

/// Holds memory that it can free on request, for example that of idle sessions.
package protocol MemoryHolder: AnyObject, Sendable {
  /// Called on the thread that allocates memory. That thread may hold locks.
  func giveBackMemory()
}
