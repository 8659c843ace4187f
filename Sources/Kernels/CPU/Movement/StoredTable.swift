import CKernels
import MIL

/// `gather` of whole rows of a constant that is not fp32 in memory, for example the embeddings of a language model.
/// Only the selected rows are decoded.
struct StoredTable: Sendable {
  private let table: StoredWeight
  private let slot: Int
  private let indices: IndexReader
  private let count: Int
  private let rows: Int
  private let width: Int
  private let allowsNegative: Bool
  private let label: String

  /// For shorter rows the lookup costs more than the decoding.
  private static let smallest = 16

  init(gather problem: KernelProblem) throws {
    let x = try problem.sizes("x")
    table = try problem.weight("x")
    guard table.type.scalar == .float32, table.floats == nil else { throw Refusal("'x' is not encoded fp32") }
    guard try problem.invocation.axis("axis", default: 0, rank: x.count) == 0,
      try problem.invocation.int("batch_dims", default: 0) == 0
    else { throw Refusal("the operation does not select whole rows") }
    slot = try problem.slot("x")
    indices = try IndexReader(problem, "indices")
    count = try problem.sizes("indices").reduce(1, *)
    (rows, width) = (x[0], x.dropFirst().reduce(1, *))
    guard width >= Self.smallest else { throw Refusal("rows of fewer than \(Self.smallest) elements") }
    allowsNegative = try problem.invocation.takesNegativeIndices()
    label = problem.invocation.operation.label
  }

  var candidate: Candidate {
    let work = Work(flops: 0, bytes: 4 * Double(count) * Double(width))
    return Candidate(efficiency: 1, scratchBytes: indices.scratchBytes, packed: [slot], work: work) {
      .cpu { try run($0) }
    }
  }

  private func run(_ frame: CPUFrame) throws {
    let picks = indices.read(frame)
    let output: UnsafeMutablePointer<Float> = frame.output()
    for item in 0..<count where row(picks[item]) == nil {
      throw KernelError(.invalidInput, "\(label): an index is outside of the axes of \([rows]) elements")
    }
    frame.pool.run(count, grain: max(1, (1 << 14) / max(width, 1))) { items in
      for item in items {
        guard let row = row(picks[item]) else { continue }
        table.decode(row * width..<(row + 1) * width, into: output + item * width)
      }
    }
  }

  @inline(__always)
  private func row(_ index: Int32) -> Int? {
    let row = Int(index) < 0 && allowsNegative ? Int(index) + rows : Int(index)
    return row >= 0 && row < rows ? row : nil
  }
}
