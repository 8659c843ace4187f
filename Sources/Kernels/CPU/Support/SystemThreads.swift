import CPlatform
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Threads outside of Dispatch. If the system refuses a thread, the work continues with fewer threads. Dispatch would
/// wait forever.
package enum SystemThreads {
  /// Calls `body` with each index below `count`, on as many threads as there are processors, including the caller's.
  /// Returns when all calls have ended. The other threads do not see the task-local values of the caller.
  package static func perform(_ count: Int, _ body: @Sendable (Int) -> Void) {
    let next = Atomic(0)
    func work() {
      while true {
        let turn = next.add(1, ordering: .relaxed).oldValue
        guard turn < count else { return }
        body(turn)
      }
    }
    // The threads are joined below, so the closure does not escape this call.
    withoutActuallyEscaping(work) { work in
      var threads: [pthread_t] = []
      for _ in 1..<max(1, min(count, Int(cplatform_processors()))) {
        guard let thread = start(work) else { break }
        threads.append(thread)
      }
      work()
      for thread in threads { pthread_join(thread, nil) }
    }
  }

  private final class Work {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Nil if the system refuses a thread.
  private static func start(_ body: @escaping () -> Void) -> pthread_t? {
    let work = Unmanaged.passRetained(Work(body))
    #if canImport(Darwin)
      var thread: pthread_t?
      let status = pthread_create(&thread, nil, { SystemThreads.run($0) }, work.toOpaque())
      if status == 0 { return thread }
    #else
      var thread = pthread_t()
      let status = pthread_create(&thread, nil, { SystemThreads.run($0) }, work.toOpaque())
      if status == 0 { return thread }
    #endif
    work.release()
    return nil
  }

  private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
    return nil
  }
}
