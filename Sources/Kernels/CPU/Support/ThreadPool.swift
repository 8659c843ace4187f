import CKernels

/// Worker threads shared by the kernels of many models: fork, claim chunks, join. Safe to use from several threads at once: while the
/// pool is busy a caller runs its chunks itself, and once it is free it takes what is left.
package final class ThreadPool: @unchecked Sendable {  // the C pool does its own locking
  package let threads: Int
  /// The pool that C kernels with a pool argument take.
  package let handle: OpaquePointer?

  /// No threads but the caller's.
  package static let caller = ThreadPool(threads: 1)

  /// A pool of `threads`, the caller of `run` being one of them.
  package init(threads: Int) {
    let wanted = max(threads, 1)
    handle = wanted > 1 ? ck_pool_create(wanted) : nil
    self.threads = ck_pool_threads(handle)
  }

  deinit { ck_pool_destroy(handle) }

  /// Calls `body`, in which several runs follow each other: the threads stay awake between them.
  package func whileAtWork<Result>(_ body: () throws -> Result) rethrows -> Result {
    ck_pool_enter(handle)
    defer { ck_pool_leave(handle) }
    return try body()
  }

  /// Calls `body` with disjoint ranges that cover `0..<count`, each of at most `grain` items, from several threads at once.
  /// `body` must not throw and must write to memory that its range alone owns.
  package func run(_ count: Int, grain: Int = 1, _ body: (Range<Int>) -> Void) {
    guard count > 0 else { return }
    guard let handle, count > grain else {
      body(0..<count)
      return
    }
    runClosure(handle, count, max(grain, 1)) { range, _ in body(range) }
  }
}

/// `ck_pool_run` of a closure that does not escape. It takes no memory, which a plan that runs is held to (`withoutActuallyEscaping`, the
/// way without C, allocates each time).
@_silgen_name("ck_pool_run_closure")
func runClosure(_ pool: OpaquePointer, _ count: Int, _ grain: Int, _ body: (_ range: Range<Int>, _ worker: Int) -> Void)
