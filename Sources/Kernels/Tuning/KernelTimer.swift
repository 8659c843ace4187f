import CoreMLBase
import MIL

/// Runs kernels on memory of their own and measures their time. As in a network, the inputs are in the caches, because
/// the previous step has just written them, and the weights are not.
struct KernelTimer {
  private let pool: ThreadPool
  private let sweep: CacheSweep

  /// The kernels run in rounds: at most `most` rounds, and only the `fewest` once `budget` seconds have passed.
  private static let (most, fewest, budget) = (12, 4, 0.1)
  /// A kernel that takes this many times the best time is not run again.
  private static let hopeless = 1.3

  init(pool: ThreadPool) {
    self.pool = pool
    sweep = CacheSweep(threads: pool.threads)
  }

  /// The fewest seconds that each candidate took. Nil for a candidate that cannot run alone.
  func seconds(of candidates: [Candidate], at problem: KernelProblem) throws -> [Double?] {
    let runs = try candidates.map { candidate in try unlessRefused { try KernelRun(candidate, at: problem) } }
    var best: [Double?] = try runs.map { run in
      guard let run else { return nil }
      // The first run makes the system allocate pages for all buffers that are written.
      return try unlessRefused { try run(pool) }.map { .infinity }
    }
    let clock = ContinuousClock()
    let start = clock.now
    for round in 0..<Self.most where round < Self.fewest || (clock.now - start) / .seconds(1) < Self.budget {
      let limit = Self.hopeless * (best.compactMap { $0 }.min() ?? .infinity)
      for (number, run) in runs.enumerated() {
        guard let run, let known = best[number], known <= limit else { continue }
        try Cancellation.check()
        sweep.pass(pool)
        run.settleCaches()
        let begun = clock.now
        let ended = try unlessRefused {
          try run(pool)
          return clock.now
        }
        best[number] = ended.map { min(known, ($0 - begun) / .seconds(1)) }
      }
    }
    return best
  }

  /// The result of the body. Nil if the kernel, its memory or its arguments are refused.
  private func unlessRefused<Result>(_ body: () throws -> Result) throws -> Result? {
    do { return try body() } catch let error as MILError where error.code == .cancelled {
      throw error
    } catch is Refusal {
      return nil
    } catch is KernelError {
      return nil
    } catch is MILError {
      return nil
    }
  }
}
