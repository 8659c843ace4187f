import CoreMLServingInterface
import Foundation

/// Runs work that takes seconds on a thread of its own, so that it holds no thread of the cooperative pool.
enum LoaderThread {
  /// - Parameter isLow: whether the thread yields the processor to those that answer requests.
  static func run<Value: Sendable>(
    isLow: Bool, _ body: @escaping @Sendable () throws(ServingError) -> Value
  ) async throws(ServingError) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, ServingError>, Never>) in
      let thread = Thread {
        // On Linux 0 is the calling thread, not the process.
        if isLow { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }
        do throws(ServingError) { continuation.resume(returning: .success(try body())) } catch {
          continuation.resume(returning: .failure(error))
        }
      }
      thread.name = "serve-load"
      thread.stackSize = 16 << 20
      thread.start()
    }
    return try result.get()
  }
}
