import CKernels

/// Worker threads shared by the kernels of many models: fork, claim chunks, join. Safe to use from several threads
/// concurrently. While the pool is busy, another caller runs its chunks itself. Once the pool is free, it helps with
/// the remaining chunks.
package final class ThreadPool: @unchecked Sendable {  // the C pool does its own locking
  package let threads: Int
  /// The pool that C kernels with a pool argument take.
  package let handle: OpaquePointer?

  /// A pool without worker threads: everything runs on the caller's thread.
  package static let caller = ThreadPool(threads: 1)

  /// A pool of `threads` threads, including the caller of `run`.
  package init(threads: Int) {
    let wanted = max(threads, 1)
    handle = wanted > 1 ? ck_pool_create(wanted) : nil
    self.threads = ck_pool_threads(handle)
  }

  deinit { ck_pool_destroy(handle) }

  /// Keeps the threads awake while `body` makes several runs in sequence.
  package func whileAtWork<Result>(_ body: () throws -> Result) rethrows -> Result {
    ck_pool_enter(handle)
    defer { ck_pool_leave(handle) }
    return try body()
  }

  /// Elements per chunk for kernels that do little work for each element.
  static let elementGrain = 16384

  /// Calls `body` concurrently with disjoint ranges that cover `0..<count`, each of at most `grain` items. `body` must
  /// not throw, and must write only to memory that its range owns.
  package func run(_ count: Int, grain: Int = 1, _ body: (Range<Int>) -> Void) {
    guard count > 0 else { return }
    guard let handle, count > grain else {
      body(0..<count)
      return
    }
    runClosure(handle, count, max(grain, 1)) { range, _ in body(range) }
  }
}

/// `ck_pool_run` with a non-escaping closure. It does not allocate, which a running plan must not do. A Swift
/// implementation with `withoutActuallyEscaping` would allocate on each call.
@_silgen_name("ck_pool_run_closure")
func runClosure(_ pool: OpaquePointer, _ count: Int, _ grain: Int, _ body: (_ range: Range<Int>, _ worker: Int) -> Void)
