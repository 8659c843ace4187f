import Foundation
import MIL
import Synchronization

/// Measured times of kernels on this machine, by problem. Each is measured once and kept on disk, in one file for each
/// number of threads and instruction set. A file that is damaged, or from another machine or version, is ignored.
package final class KernelTimings: Sendable {
  /// Times candidates for a problem, in the order given. Nil marks a candidate that cannot be timed.
  package typealias Measure =
    @Sendable (_ candidates: [Candidate], _ problem: KernelProblem, _ pool: ThreadPool) throws -> [Double?]

  /// Part of every key. Raise it when kernels become faster or the measurement changes.
  private static let version = "1"
  /// Limit for the signatures kept. Beyond it all are dropped and measured again.
  private let most: Int

  /// True while a model is being opened: planning may then wait for measurements.
  @TaskLocal package static var isOpening = false

  /// Seconds by kernel name, by the digest of a problem signature.
  private typealias Known = [String: [String: Double]]
  private let cache: FileCache
  private let file: String
  private let measure: Measure
  private let state = Mutex<(known: Known, isRead: Bool, isChanged: Bool)>(([:], false, false))

  /// - Parameters:
  ///   - directory: the folder of the file. With nil the timings live only as long as the process.
  ///   - processor: identifies the processor model.
  package init(
    directory: String?, processor: String, threads: Int, most: Int = 1 << 15,
    measure: @escaping Measure = { try KernelTimer(pool: $2).seconds(of: $0, at: $1) }
  ) {
    cache = FileCache(directory: directory)
    file = FileCache.fileName(
      ["timings", Self.version, processor, InstructionSet.name, "\(threads)"], suffix: "timings")
    (self.most, self.measure) = (most, measure)
  }

  /// The seconds of each kernel. Nil for a kernel that cannot be timed. All are nil if some are unknown and
  /// `mayMeasure` is false. One problem is timed at a time, so that measurements do not disturb each other.
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
        // Compare kernels within one measurement only, because the load of the machine differs between measurements.
        let all = try measure(implementations.map(\.candidate), problem, pool)
        times = [:]
        // A kernel that cannot be timed is not tried again.
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

  /// Marks a kernel that cannot be timed. JSON has no infinity or NaN.
  private static let none = -1.0

  /// Writes new timings to disk, merged with those that other processes have written.
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
