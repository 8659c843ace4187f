/// How the elements of a tensor, in row-major order, share the entries of a coarser grid. `run` consecutive elements
/// share an entry, and consecutive runs within a span have consecutive entries.
struct BlockWalk: Sendable {
  let run: Int
  /// Number of elements whose runs have consecutive entries.
  let span: Int
  /// The axes outside of a span, innermost first.
  let outer: [Axis]

  struct Axis: Sendable {
    let size: Int
    let block: Int
    let stride: Int
  }

  /// - Parameter blocks: how many elements along each axis share an entry. Each divides its axis.
  init(shape: [Int], blocks: [Int]) {
    let entries = zip(shape, blocks).map { $0 / max($1, 1) }
    var axis = shape.count - 1
    var run = 1
    while axis >= 0, entries[axis] <= 1 {
      run *= shape[axis]
      axis -= 1
    }
    guard axis >= 0 else {
      (self.run, span, outer) = (max(run, 1), max(run, 1), [])
      return
    }
    run *= blocks[axis]
    var span = run * entries[axis]
    var stride = entries[axis]
    axis -= 1
    while axis >= 0, blocks[axis] == 1 {
      span *= shape[axis]
      stride *= shape[axis]
      axis -= 1
    }
    var outer: [Axis] = []
    while axis >= 0 {
      outer.append(Axis(size: shape[axis], block: blocks[axis], stride: stride))
      stride *= entries[axis]
      axis -= 1
    }
    (self.run, self.span, self.outer) = (max(run, 1), max(span, 1), outer)
  }

  /// Distinguishes this walk from others.
  var key: [Int] { [run, span] + outer.flatMap { [$0.size, $0.block, $0.stride] } }

  /// Calls `body` with the pieces of `range` in order. Its arguments are the elements, the entry of the first element,
  /// and the index of that element in its run.
  func each(_ range: Range<Int>, _ body: (_ piece: Range<Int>, _ entry: Int, _ first: Int) -> Void) {
    var at = range.lowerBound
    while at < range.upperBound {
      let (number, within) = at.quotientAndRemainder(dividingBy: span)
      let end = min(range.upperBound, at + span - within)
      body(at..<end, base(number) + within / run, within % run)
      at = end
    }
  }

  /// The first entry of a span.
  private func base(_ number: Int) -> Int {
    var (rest, entry) = (number, 0)
    for index in outer.indices {
      let axis = outer[index]
      entry += rest % axis.size / axis.block * axis.stride
      rest /= axis.size
    }
    return entry
  }
}
