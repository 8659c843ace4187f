import Foundation
import Synchronization

/// Works on several rows, or groups of them, at once and hands on what comes of them in their order.
///
/// At most twice as many rows are begun as are worked on: memory does not grow with the batch. The caller's thread works too, on the row that it
/// waits for and on those behind it. So the rows get done even where the system gives no more threads.
final class RowPipeline<Item, Outcome>: @unchecked Sendable {  // what changes is behind the condition
  private let width: Int
  private let body: (Item) throws -> Outcome
  private let condition = NSCondition()
  /// Rows that nobody works on yet.
  private var waiting: [Row] = []
  private var working = 0
  private var isPaused = false
  private var isOver = false

  /// A row, and what comes of it some time.
  private final class Row {
    let item: Item
    var outcome: Result<Outcome, any Error>?

    init(_ item: Item) { self.item = item }
  }

  /// - Parameter width: rows that are worked on at one time.
  init(width: Int, _ body: @escaping (Item) throws -> Outcome) { (self.width, self.body) = (width, body) }

  /// - Parameters:
  ///   - prepare: is told of a row before it is begun.
  ///   - each: gets what comes of each row, or the error that ends the run there.
  func run(
    _ items: some Sequence<Item>, prepare: (Item) -> Void = { _ in },
    _ each: (Item, _ outcome: () throws -> Outcome) throws -> Void
  ) throws {
    // Threads of their own: those of Dispatch would wait for a prediction that needs one of them.
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

  /// What comes of a row. Until it is there, the caller works on those that follow.
  private func outcome(of row: Row) throws -> Outcome {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let outcome = row.outcome { return try outcome.get() }
      if waiting.isEmpty { condition.wait() } else { finishNext() }
    }
  }

  /// A worker's thread.
  private func work() {
    condition.lock()
    defer { condition.unlock() }
    while !isOver {
      if isPaused || waiting.isEmpty { condition.wait() } else { finishNext() }
    }
  }

  /// Works on the first row that waits. The lock is held before and after, and not meanwhile.
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

  /// Runs work while no worker does anything.
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

  /// Waits for what is worked on, which holds on to the rows. What is not begun is left.
  private func end() {
    condition.lock()
    (isOver, waiting) = (true, [])
    condition.broadcast()
    while working > 0 { condition.wait() }
    condition.unlock()
  }
}
