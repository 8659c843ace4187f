import CoreMLBase
import MIL

/// Runs rows on memory of their own and tells how long they take. As in a network, their inputs are in the caches, for the step before has
/// just written them, and their weights are not.
struct KernelTimer {
  private let pool: ThreadPool
  private let sweep: CacheSweep

  /// Rows by turns, so many times; after so many seconds no more than the fewest.
  private static let (most, fewest, budget) = (12, 4, 0.1)
  /// A row that took so many times what another took is not run again.
  private static let hopeless = 1.3

  init(pool: ThreadPool) {
    self.pool = pool
    sweep = CacheSweep(threads: pool.threads)
  }

  /// The fewest seconds that each took; nil for what cannot be run by itself.
  ///
  /// - Throws: `MILError` of code `.cancelled`.
  func seconds(of candidates: [Candidate], at problem: KernelProblem) throws -> [Double?] {
    let runs = try candidates.map { candidate in try unlessRefused { try KernelRun(candidate, at: problem) } }
    var best: [Double?] = try runs.map { run in
      guard let run else { return nil }
      // The first time brings memory of their own to all that is written.
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

  /// What the body gives; nil where the row, its memory or its arguments are refused.
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
