import Foundation
import Synchronization

/// Processes several items at once (rows or groups of rows) and delivers the outcomes in order.
///
/// At most `2 * width` items are started and not yet delivered, so memory does not grow with the batch. The calling
/// thread processes items too: the one that it needs next, and those after it. So the items get done even if the system
/// gives no more threads.
final class RowPipeline<Item, Outcome>: @unchecked Sendable {  // the mutable state is behind the condition
  private let width: Int
  private let body: (Item) throws -> Outcome
  private let condition = NSCondition()
  /// Items that no thread has started.
  private var waiting: [Row] = []
  private var working = 0
  private var isPaused = false
  private var isOver = false

  /// An item and its future outcome.
  private final class Row {
    let item: Item
    var outcome: Result<Outcome, any Error>?

    init(_ item: Item) { self.item = item }
  }

  /// - Parameter width: Number of items that are processed at the same time.
  init(width: Int, _ body: @escaping (Item) throws -> Outcome) { (self.width, self.body) = (width, body) }

  /// - Parameters:
  ///   - prepare: Called before an item is started.
  ///   - each: Receives each item with its outcome, or with the error that ends the run there.
  func run(
    _ items: some Sequence<Item>, prepare: (Item) -> Void = { _ in },
    _ each: (Item, _ outcome: () throws -> Outcome) throws -> Void
  ) throws {
    // Separate threads: Dispatch's could all be blocked by a prediction that itself needs one of them.
    for _ in 1..<max(width, 1) { Thread { self.work() }.start() }
    defer { end() }
    var items = items.makeIterator()
    var begun: [Row] = []
    func begin() {
      while begun.count < 2 * width, let item = items.next() {
        prepare(item)
        let row = Row(item)
        begun.append(row)
        condition.lock()
        waiting.append(row)
        condition.signal()
        condition.unlock()
      }
    }
    begin()
    while !begun.isEmpty {
      try Interruption.shared.check()
      let row = begun.removeFirst()
      try each(row.item) { try outcome(of: row) }
      begin()
    }
  }

  /// The outcome of an item. Until it is there, the caller processes the items that follow.
  private func outcome(of row: Row) throws -> Outcome {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let outcome = row.outcome { return try outcome.get() }
      if waiting.isEmpty { condition.wait() } else { finishNext() }
    }
  }

  /// The body of a worker thread.
  private func work() {
    condition.lock()
    defer { condition.unlock() }
    while !isOver {
      if isPaused || waiting.isEmpty { condition.wait() } else { finishNext() }
    }
  }

  /// Processes the first waiting item. The lock is held on entry and exit, but not during the work.
  private func finishNext() {
    let row = waiting.removeFirst()
    working += 1
    condition.unlock()
    let outcome = Result { try body(row.item) }
    condition.lock()
    row.outcome = outcome
    working -= 1
    condition.broadcast()
  }

  /// Runs work while all workers are idle.
  func alone<Value>(_ work: () throws -> Value) rethrows -> Value {
    condition.lock()
    isPaused = true
    while working > 0 { condition.wait() }
    condition.unlock()
    defer {
      condition.lock()
      isPaused = false
      condition.broadcast()
      condition.unlock()
    }
    return try work()
  }

  /// Waits for running items, as the workers use them. Items that are not started are dropped.
  private func end() {
    condition.lock()
    (isOver, waiting) = (true, [])
    condition.broadcast()
    while working > 0 { condition.wait() }
    condition.unlock()
  }
}
