import MIL

/// `x` as [outer, axis, inner].
struct AxisLines: Sendable {
  let outer: Int
  let count: Int
  let inner: Int

  init(_ problem: KernelProblem, _ parameter: String, default fallback: Int) throws {
    let sizes = try problem.sizes("x")
    let axis = try problem.invocation.axis(parameter, default: fallback, rank: sizes.count)
    outer = sizes[..<axis].reduce(1, *)
    count = sizes[axis]
    inner = sizes[(axis + 1)...].reduce(1, *)
  }

  /// Calls `body` on the threads with ranges of `outer`.
  func share(_ frame: CPUFrame, _ body: (Range<Int>) -> Void) {
    frame.pool.run(outer, grain: max(ThreadPool.elementGrain / max(count * inner, 1), 1), body)
  }
}
