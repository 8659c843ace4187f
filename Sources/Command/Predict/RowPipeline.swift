import Foundation
import Synchronization

/// Works on several rows at once and hands on what comes of them in their order.
///
/// At most twice as many rows are begun as are worked on: memory does not grow with the batch.
final class RowPipeline<Outcome> {
  private let queue = OperationQueue()
  private let body: @Sendable (Int) -> Carried<Result<Outcome, any Error>>
  private var begun: [(place: Int, outcome: Pending)] = []

  /// What comes of a row, some time.
  private final class Pending: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let result = Mutex<Carried<Result<Outcome, any Error>>?>(nil)

    func set(_ value: Carried<Result<Outcome, any Error>>) {
      result.withLock { $0 = value }
      done.signal()
    }

    func get() throws -> Outcome {
      done.wait()
      guard let result = result.withLock({ $0 }) else { throw CancellationError() }
      return try result.value.get()
    }
  }

  /// - Parameter width: rows that are worked on at one time.
  init(width: Int, _ body: @escaping (Int) throws -> Outcome) {
    queue.maxConcurrentOperationCount = width
    queue.qualityOfService = .userInitiated
    let work = Carried(body)
    self.body = { place in Carried(Result { try work.value(place) }) }
  }

  /// - Parameters:
  ///   - prepare: is told of a row before it is begun.
  ///   - each: gets what comes of each row, or the error that ends the run there.
  func run(
    _ places: some Sequence<Int>, prepare: (Int) -> Void,
    _ each: (Int, _ outcome: () throws -> Outcome) throws -> Void
  ) throws {
    // What was begun holds on to the rows: it ends before this does.
    defer {
      queue.cancelAllOperations()
      queue.waitUntilAllOperationsAreFinished()
    }
    var places = places.makeIterator()
    func begin() {
      while begun.count < 2 * queue.maxConcurrentOperationCount, let place = places.next() {
        prepare(place)
        let pending = Pending()
        queue.addOperation { [body] in pending.set(body(place)) }
        begun.append((place, pending))
      }
    }
    begin()
    while !begun.isEmpty {
      try Interruption.shared.check()
      let (place, pending) = begun.removeFirst()
      try each(place) { try pending.get() }
      begin()
    }
  }

  /// Waits until no row is worked on.
  func settle() { queue.waitUntilAllOperationsAreFinished() }
}
