/// Copies a few runs of elements, each from its own memory, to one target in a single launch. With few elements the
/// launch dominates the time.
struct CLJoin: Sendable {
  struct Run: Sendable, Hashable {
    /// Elements of the memory, the first element to copy, and the number of elements to copy.
    let elements: Int
    let source: Int
    let count: Int
    /// The first element in the target.
    let target: Int
  }

  static let mostRuns = 5

  private let launch: OpenCLLaunch
  private let count: Int

  /// `elements` is the element count of the target. The runs must not overlap in the target.
  init(_ context: OpenCLContext, elementSize: Int, _ runs: [Run], to elements: Int) throws {
    guard (1...Self.mostRuns).contains(runs.count),
      runs.allSatisfy({
        $0.count > 0 && $0.source >= 0 && $0.target >= 0 && $0.count <= $0.elements && $0.count <= elements
          && $0.source <= $0.elements - $0.count && $0.target <= elements - $0.count
      })
    else { throw KernelError(.openCLLaunch, "join: \(runs) are not within \(elements) elements") }
    count = runs.count
    var ends: [Int] = []
    for run in runs { ends.append((ends.last ?? 0) + run.count) }
    let total = ends.last ?? 0
    // Missing runs repeat the first one with no elements.
    let all = runs + Array(repeating: runs[0], count: Self.mostRuns - runs.count)
    ends += Array(repeating: total, count: Self.mostRuns - runs.count)
    let index = CLSizes(runs.map(\.elements).max() ?? 0, elements, total)
    launch = try context.each(
      "join", of: "move", ["T": try clMoveType(elementSize)], index, count: total,
      zip(["a", "b", "c", "d", "e"], all).map { .memory($0, count: $1.elements, size: elementSize) } + [
        .memory("y", count: elements, size: elementSize),
        index.many(ends + all.map(\.source) + all.map(\.target)), index.one(total),
      ])
  }

  /// `memory` returns the memory of each run.
  func enqueue(on queue: OpenCLQueue, _ memory: (Int) -> OpenCLMemory, y: OpenCLMemory) throws {
    func of(_ run: Int) -> OpenCLMemory { memory(run < count ? run : 0) }
    try launch.enqueue(on: queue, of(0), of(1), of(2), of(3), of(4), y)
  }
}
