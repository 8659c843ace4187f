import CKernels
import MIL

/// `argsort` and `topk`.
enum SortingKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("sort.words", for: ["argsort", "topk"]) { try SortingProblem($0).candidate }
  ]
}

/// `argsort` or `topk`, as its kernel sees it.
private struct SortingProblem: Sendable {
  private let x: Int
  private let scalar: ScalarType
  private let lines: AxisLines
  private let keep: Int
  private let isAscending: Bool
  /// The outputs for values and for indices.
  private let values: Int?
  private let places: Int?
  private let threads: Int

  init(_ problem: KernelProblem) throws {
    x = try problem.slot("x")
    scalar = try problem.scalar("x")
    guard scalar == .float32 || scalar == .int32 else {
      throw Refusal("'x' is \(scalar.rawValue), the kernel takes fp32 and int32")
    }
    lines = try AxisLines(problem, "axis", default: -1)
    isAscending = try problem.invocation.bool("ascending", default: false)
    let isTop = problem.operation == "topk"
    keep = isTop ? try problem.known { try problem.invocation.int("k", default: 1) } : lines.count
    guard (0...lines.count).contains(keep), lines.count <= Int(Int32.max) else {
      throw Refusal("\(keep) of lines of \(lines.count) numbers")
    }
    values = isTop ? 0 : nil
    places = isTop ? (problem.outputs.count > 1 ? 1 : nil) : 0
    if let places, problem.outputs[places].scalar != .int32 {
      throw Refusal("positions as \(problem.outputs[places].scalar.rawValue), the kernel writes int32")
    }
    threads = max(problem.threads, 1)
  }

  /// 64-bit words of scratch memory of a thread.
  private var words: Int { ck_sort_scratch(lines.count, keep) }
  /// Lines that a thread processes at a time. If there are no more lines, one thread with its scratch memory suffices.
  private var grain: Int { max(4096 / max(lines.count * lines.inner, 1), 1) }

  /// A radix sort moves each element four times. A selection of few elements uses a heap, which few elements enter.
  private var work: Work {
    let count = Double(lines.outer) * Double(lines.count) * Double(lines.inner)
    let isSelection = words <= keep
    return Work(flops: (isSelection ? 4 : 24) * count, bytes: (isSelection ? 4 : 76) * count)
  }

  var candidate: Candidate {
    let workers = lines.outer > grain ? threads : 1
    return Candidate(efficiency: 0.1, scratchBytes: 8 * words * workers, work: work) { .cpu { run($0) } }
  }

  private func run(_ frame: CPUFrame) {
    let (size, kept) = (lines.count * lines.inner, keep * lines.inner)
    frame.pool.run(lines.outer, grain: grain, workers: threads) { range, worker in
      let scratch = frame.scratch.assumingMemoryBound(to: UInt64.self) + worker * words
      let places = self.places.map { frame.output($0, as: Int32.self) + range.lowerBound * kept }
      func values<T>(_: T.Type) -> UnsafeMutablePointer<T>? {
        self.values.map { frame.output($0, as: T.self) + range.lowerBound * kept }
      }
      func source<T>(_: T.Type) -> UnsafePointer<T> { frame.input(x, as: T.self) + range.lowerBound * size }
      if scalar == .float32 {
        ck_sort_f32(
          isAscending, source(Float.self), values(Float.self), places, range.count, lines.count, lines.inner, keep,
          scratch)
      } else {
        ck_sort_i32(
          isAscending, source(Int32.self), values(Int32.self), places, range.count, lines.count, lines.inner, keep,
          scratch)
      }
    }
  }
}
