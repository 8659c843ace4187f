/// Writes a tensor into a slice of another tensor. The size of the slice is known, its bounds only at run time. The
/// queue's `finish` throws if the bounds define another slice.
struct CLSliceUpdate: Sendable {
  /// One bound of an axis: the tensor's own, a constant, or an element of the `begin` or `end` argument.
  enum Bound: Sendable, Hashable {
    case open
    case known(Int)
    case read(Int)

    fileprivate var numbers: (from: Int, number: Int) {
      switch self {
      case .open: (0, 0)
      case .known(let number): (1, number)
      case .read(let index): (2, index)
      }
    }
  }

  struct Axis: Sendable, Hashable {
    var size: Int
    var step: Int
    /// Elements of the slice. Nil for an axis that is indexed.
    var count: Int?
    var begin: Bound
    var end: Bound
  }

  static let mostAxes = 8

  private let launch: OpenCLLaunch

  /// `begins` and `ends` are the element counts of the arguments.
  init(_ context: OpenCLContext, elementSize: Int, _ axes: [Axis], begins: Int, ends: Int) throws {
    let counts = (
      update: try CLSizes.count(axes.compactMap(\.count), "slice_update"),
      y: try CLSizes.count(axes.map(\.size), "slice_update")
    )
    guard (1...Self.mostAxes).contains(axes.count), axes.allSatisfy({ $0.step != 0 }),
      axes.allSatisfy({ Self.isInside($0.begin, begins) && Self.isInside($0.end, ends) })
    else { throw KernelError(.openCLLaunch, "slice_update: a slice of \(axes.count) axes") }
    let index = CLSizes(counts.update, counts.y)
    let fields: [[Int]] = [
      axes.map(\.size), CLSizes.strides(axes.map(\.size)), axes.map(\.step), axes.map { $0.count ?? -1 },
      axes.map(\.begin.numbers.from), axes.map(\.begin.numbers.number), axes.map(\.end.numbers.from),
      axes.map(\.end.numbers.number),
    ]
    launch = try context.each(
      "update_slice", of: "slice", ["T": try clMoveType(elementSize), "RANK": "\(axes.count)"], index,
      count: counts.update,
      [
        .memory("update", count: counts.update, size: elementSize), .memory("begin", count: begins, size: 4),
        .memory("end", count: ends, size: 4), .memory("y", count: counts.y, size: elementSize),
        index.many(fields.flatMap { $0 }), index.one(counts.update), .faults,
      ])
  }

  private static func isInside(_ bound: Bound, _ count: Int) -> Bool {
    if case .read(let index) = bound { return (0..<count).contains(index) }
    return true
  }

  /// `y` holds the original tensor.
  func enqueue(
    on queue: OpenCLQueue, update: OpenCLMemory, begin: OpenCLMemory, end: OpenCLMemory, y: OpenCLMemory
  ) throws {
    try launch.enqueue(on: queue, update, begin, end, y)
  }
}
