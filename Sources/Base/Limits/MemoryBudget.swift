import Synchronization

/// What work may hold of the machine's memory at one time. What does not fit is refused with a sentence, before it is asked of the system.
///
/// Work has the budget that `during` gives it; all other work shares `machine`. Memory of tensors and sessions is taken from the budget
/// when it is allocated and given back when it is freed (`reserve`, `release`). Swift's own arrays cannot fail, so that whoever makes a large
/// one asks for the room first (`admit`).
package final class MemoryBudget: Sendable {
  private let bound: Atomic<Int>
  /// What the budget is a part of: memory must fit into both.
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

  /// The process's: `COREML_MEMORY_LIMIT`, or what the machine and the process's control group have.
  package static let machine = MemoryBudget(
    limit: min((try? RuntimeLimits.inForce())?.memory ?? .max, SystemMemory.capacity), within: nil)

  /// The budget that the work on the current thread was given.
  @TaskLocal package static var given: MemoryBudget?

  package static var current: MemoryBudget { given ?? machine }

  /// Runs `body` so that what it holds is taken from this budget.
  package func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$given.withValue(self) { try body() }
  }

  package var bytesHeld: Int { held.load(ordering: .relaxed) }

  // MARK: what is held

  /// Takes `bytes`; whoever calls gives them back with `release`.
  ///
  /// - Throws: `LimitError` of code `.outOfMemory`, which says what would have needed how much, and what the limit is.
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

  // MARK: what passes by

  /// Makes sure that there is room for `bytes` that are soon gone again, such as the arrays of a reference.
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

  /// `admit` for `count` elements of `size` bytes; a product that cannot be counted does not fit.
  package func admit(_ count: Int, of size: Int, for purpose: @autoclosure () -> String) throws {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
    try admit(overflow ? .max : bytes, for: purpose())
  }

  /// Less than this is never asked about: it is on the scale of what the process takes anyway.
  private static let smallest = 1 << 20

  // MARK: what can be done without

  /// Has a holder asked to give memory back before anything is refused. It is not kept alive.
  package func add(_ holder: any MemoryHolder) {
    holders.withLock { all in
      all.removeAll { $0.holder == nil }
      all.append(Weak(holder: holder))
    }
  }

  /// Runs `body`, once more after the holders gave back what they can do without where the first time there was too little memory.
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

/// Holds memory that it can do without, such as that of predictions to come.
package protocol MemoryHolder: AnyObject, Sendable {
  /// Called on the thread that asks for memory, which may hold locks of its own work.
  func giveBackMemory()
}
