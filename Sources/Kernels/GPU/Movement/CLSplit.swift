/// Copies columns of a matrix to a few matrices in a single launch. With few elements the launch dominates the time.
struct CLSplit: Sendable {
  static let mostParts = 5

  private let launch: OpenCLLaunch
  private let count: Int

  /// `columns` are the column counts of the parts. Together they are all columns of the matrix.
  init(_ context: OpenCLContext, elementSize: Int, rows: Int, columns: [Int]) throws {
    guard (1...Self.mostParts).contains(columns.count), rows > 0, columns.allSatisfy({ $0 > 0 }) else {
      throw KernelError(.openCLLaunch, "split: \(rows) rows of \(columns)")
    }
    count = columns.count
    var ends: [Int] = []
    for part in columns { ends.append(try CLSizes.count([(ends.last ?? 0) + part], "split")) }
    let total = ends.last ?? 0
    let elements = try CLSizes.count([rows, total], "split")
    // Missing parts repeat the first one with no columns.
    let all = columns + Array(repeating: columns[0], count: Self.mostParts - count)
    ends += Array(repeating: total, count: Self.mostParts - count)
    let index = CLSizes(elements, total)
    launch = try context.each(
      "split", of: "move", ["T": try clMoveType(elementSize)], index, count: elements,
      [.memory("x", count: elements, size: elementSize)]
        + zip(["a", "b", "c", "d", "e"], all).map { .memory($0, count: rows * $1, size: elementSize) }
        + [index.many(ends), index.one(total), index.one(elements)])
  }

  /// `memory` returns the memory of each part.
  func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, _ memory: (Int) -> OpenCLMemory) throws {
    func of(_ part: Int) -> OpenCLMemory { memory(part < count ? part : 0) }
    try launch.enqueue(on: queue, x, of(0), of(1), of(2), of(3), of(4))
  }
}
