import CKernels
import MIL

/// Chains of functions in one pass over memory: each tile of the result goes through all steps while it is in L1. A
/// tile is a part of one line along the last merged axis, or several such lines.
struct PointwiseTiles: Sendable {
  /// Elements of a tile.
  private static let size = 2048
  /// Bytes before the tile buffers (rooms), for sizes and strides.
  private static let head = 64

  private let chain: PointwiseSteps
  /// Sizes of the axes after merging those with the same strides in all operands. At least two.
  private let sizes: [Int]
  /// Strides of each operand along each axis, one operand after the other.
  private let strides: [Int]
  private let lines: Chunks
  private let columns: Chunks
  private let outer: Int
  private let workers: Int
  private let inPlace: [Int]

  init(_ problem: KernelProblem) throws {
    chain = try PointwiseSteps(problem)
    let output = try problem.outputSizes()
    let walk = CLWalk(output, chain.sizes.map { Broadcast(from: $0, to: output).strides })
    guard output.allSatisfy({ $0 > 0 }) else { throw Refusal("an empty tensor") }
    let lead = walk.sizes.count < 2 ? [1] : []
    sizes = lead + walk.sizes
    strides = walk.strides.flatMap { lead.map { _ in 0 } + $0 }
    let (line, width) = (sizes[sizes.count - 2], sizes[sizes.count - 1])
    columns = Chunks(width, of: Self.size)
    lines = Chunks(line, of: max(Self.size / width, 1))
    outer = sizes.dropLast(2).reduce(1, *)
    workers = problem.threads
    let count = output.reduce(1, *)
    inPlace = zip(chain.slots, chain.sizes).filter { $0.1.reduce(1, *) == count }.map(\.0)
  }

  var candidate: Candidate {
    Candidate.cpu(efficiency: 0.08, scratchBytes: workers * room, inPlace: inPlace) { frame in
      let grain = max(4 * Self.size / (lines.size * columns.size), 1)
      frame.pool.run(outer * lines.count * columns.count, grain: grain, workers: workers) { tiles, worker in
        for tile in tiles { run(tile, frame, frame.scratch + worker * room) }
      }
    }
  }

  private var room: Int { Self.head + chain.rooms * Self.size * 4 }

  /// A tile is contiguous in the result. It has several lines only if these are complete.
  private func run(_ tile: Int, _ frame: CPUFrame, _ memory: UnsafeMutableRawPointer) {
    let column = columns[tile % columns.count]
    let line = lines[tile / columns.count % lines.count]
    let place = tile / columns.count / lines.count
    let rooms = (memory + Self.head).assumingMemoryBound(to: Float.self)
    let shape = memory.assumingMemoryBound(to: Int.self)
    let (x, y, count) = (shape + 2, shape + 4, shape + 6)
    (shape[0], shape[1], count[0]) = (line.count, column.count, line.count * column.count)
    for number in chain.steps.indices {
      let step = chain.steps[number]
      var target =
        frame.output(0, as: Float.self) + (place * lines.total + line.lowerBound) * columns.total + column.lowerBound
      if let room = step.room { target = rooms + room * Self.size }
      let first = source(step.x, frame, rooms, place, line.lowerBound, column, x)
      guard let other = step.y else {
        ck_unary_f32(step.unary, step.alpha, step.beta, first, target, count[0])
        continue
      }
      let second = source(other, frame, rooms, place, line.lowerBound, column, y)
      if isEven(x, shape), isEven(y, shape) {
        _ = ck_binary_f32(step.binary, first, second, target, 1, count, x + 1, y + 1)
      } else {
        _ = ck_binary_f32(step.binary, first, second, target, 2, shape, x, y)
      }
    }
  }

  /// The first element of a source in the tile. Writes its strides over lines and columns.
  private func source(
    _ source: PointwiseSteps.Source, _ frame: CPUFrame, _ rooms: UnsafeMutablePointer<Float>, _ place: Int, _ line: Int,
    _ column: Range<Int>, _ steps: UnsafeMutablePointer<Int>
  ) -> UnsafePointer<Float> {
    if source.isRoom {
      (steps[0], steps[1]) = (column.count, 1)
      return UnsafePointer(rooms + source.number * Self.size)
    }
    let rank = sizes.count
    let own = source.number * rank
    (steps[0], steps[1]) = (strides[own + rank - 2], strides[own + rank - 1])
    var (offset, rest, axis) = (line * steps[0] + column.lowerBound * steps[1], place, rank - 3)
    while axis >= 0 {
      offset += rest % sizes[axis] * strides[own + axis]
      rest /= sizes[axis]
      axis -= 1
    }
    return frame.input(chain.slots[source.number], as: Float.self) + offset
  }

  /// Whether the stride of an operand over lines continues its stride along columns.
  private func isEven(_ steps: UnsafeMutablePointer<Int>, _ shape: UnsafeMutablePointer<Int>) -> Bool {
    shape[0] == 1 || steps[0] == steps[1] * shape[1]
  }
}
