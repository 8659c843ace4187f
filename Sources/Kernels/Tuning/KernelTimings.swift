import Foundation
import MIL
import Synchronization

/// How long rows take on this machine, by what they compute: timed once and kept on disk, a file for each number of threads and set of
/// instructions. A file that is damaged, or of another machine or version, is as none.
package final class KernelTimings: Sendable {
  /// Times offers at a site in the order given; nil is one that cannot be timed.
  package typealias Measure =
    @Sendable (_ candidates: [Candidate], _ problem: KernelProblem, _ pool: ThreadPool) throws -> [Double?]

  /// Part of every key: raise it when kernels become faster, or are timed in another way.
  private static let version = "1"
  /// Signatures that are kept: beyond, all are forgotten and timed anew.
  private let most: Int

  /// What is planned now belongs to a model that is being opened, and may wait for rows to be timed.
  @TaskLocal package static var isOpening = false

  /// Seconds of rows by their names, by the digest of a signature.
  private typealias Known = [String: [String: Double]]
  private let cache: FileCache
  private let file: String
  private let measure: Measure
  private let state = Mutex<(known: Known, isRead: Bool, isChanged: Bool)>(([:], false, false))

  /// - Parameters:
  ///   - directory: where they are kept; nil keeps none beyond the process.
  ///   - processor: what tells one processor from another.
  package init(
    directory: String?, processor: String, threads: Int, most: Int = 1 << 15,
    measure: @escaping Measure = { try KernelTimer(pool: $2).seconds(of: $0, at: $1) }
  ) {
    cache = FileCache(directory: directory)
    file = FileCache.fileName(
      ["timings", Self.version, processor, InstructionSet.name, "\(threads)"], suffix: "timings")
    (self.most, self.measure) = (most, measure)
  }

  /// The seconds of each row; nil for one that cannot be timed, and for all where some are not known and nothing may be timed now.
  /// One site is timed at a time, undisturbed by others.
  package func seconds(
    of implementations: [(name: String, candidate: Candidate)], at problem: KernelProblem, on pool: ThreadPool,
    mayMeasure: Bool
  ) throws -> [Double?] {
    let key = FileCache.fileName([problem.signature], suffix: "site")
    return try state.withLock { state in
      if !state.isRead {
        state.known = load()
        state.isRead = true
      }
      var times = state.known[key] ?? [:]
      let missing = implementations.filter { times[$0.name] == nil }
      if !missing.isEmpty {
        guard mayMeasure else { return implementations.map { _ in nil } }
        // Rows are compared within one run only: what is else on the machine is not the same in another.
        let all = try measure(implementations.map(\.candidate), problem, pool)
        times = [:]
        // What cannot be timed is not tried again.
        for (implementation, time) in zip(implementations, all) {
          times[implementation.name] = time.flatMap { $0.isFinite ? $0 : nil } ?? Self.none
        }
        if state.known.count >= most { state.known.removeAll() }
        state.known[key] = times
        state.isChanged = true
      }
      return implementations.map { implementation in times[implementation.name].flatMap { $0 > 0 ? $0 : nil } }
    }
  }

  /// In place of the seconds of what cannot be timed; JSON has no better.
  private static let none = -1.0

  /// Keeps on disk what was timed since the last time, beside what others have timed.
  package func save() {
    state.withLock { state in
      guard state.isChanged else { return }
      let all = load().merging(state.known) { _, own in own }
      if all.count <= most { state.known = all }
      state.isChanged = false
      guard let data = try? JSONEncoder().encode(state.known) else { return }
      cache.save([UInt8](data), file)
    }
  }

  private func load() -> Known {
    guard let bytes = cache.load(file) else { return [:] }
    return (try? JSONDecoder().decode(Known.self, from: Data(bytes))) ?? [:]
  }
}
