import CKernels
import Foundation
import Testing

extension CKernelsTests {
  /// Counts the visits of each item in a range. The threads of a run share it.
  final class Visits: @unchecked Sendable {  // each item belongs to one chunk; the lock guards the rest
    let counts: UnsafeMutableBufferPointer<UInt8>
    let pool: OpaquePointer?
    private let lock = NSLock()
    private(set) var problems: Set<String> = []
    var grain = 1

    init(_ count: Int, pool: OpaquePointer?) {
      counts = .allocate(capacity: count)
      counts.initialize(repeating: 0)
      self.pool = pool
    }

    deinit { counts.deallocate() }

    func report(_ problem: String) { lock.withLock { _ = problems.insert(problem) } }

    func visit(_ begin: Int, _ end: Int, _ worker: Int) {
      if begin >= end || end - begin > grain { report("chunk \(begin)..<\(end) of grain \(grain)") }
      if worker >= ck_pool_threads(pool) { report("worker \(worker)") }
      for i in begin..<end { counts[i] += 1 }
    }

    /// Runs over all items on the pool.
    func run(grain: Int) {
      self.grain = max(grain, 1)
      ck_pool_run(
        pool, counts.count, grain,
        { context, begin, end, worker in
          guard let context else { return }
          Unmanaged<Visits>.fromOpaque(context).takeUnretainedValue().visit(Int(begin), Int(end), Int(worker))
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    var everyItemOnce: Bool { counts.allSatisfy { $0 == 1 } }
  }

  @Test("a run covers its range exactly once", arguments: [1, 2, 3, 5])
  func coverage(threads: Int) throws {
    let pool = try #require(ck_pool_create(threads))
    defer { ck_pool_destroy(pool) }
    #expect(ck_pool_threads(pool) == threads)
    for count in [0, 1, 2, 7, 64, 1000] {
      for grain in [0, 1, 3, 64, 5000] {
        let visits = Visits(count, pool: pool)
        visits.run(grain: grain)
        #expect(visits.everyItemOnce && visits.problems.isEmpty, "count \(count) grain \(grain) \(visits.problems)")
      }
    }
  }

  @Test("no pool runs on the caller; a pool of 0 threads takes the machine's")
  func noPool() throws {
    let visits = Visits(10, pool: nil)
    visits.run(grain: 4)
    #expect(visits.everyItemOnce && visits.problems.isEmpty)
    #expect(ck_pool_threads(nil) == 1)
    let pool = try #require(ck_pool_create(0))
    #expect(ck_pool_threads(pool) >= 1)
    ck_pool_destroy(pool)
    ck_pool_destroy(nil)
    #expect(ck_pool_create(100_000) == nil)
  }

  @Test("many short runs, with sleeps between, lose nothing")
  func manyRuns() throws {
    let pool = try #require(ck_pool_create(3))
    defer { ck_pool_destroy(pool) }
    for round in 0..<300 {
      if round % 100 == 50 { usleep(2000) }  // long enough for the workers to fall asleep
      let visits = Visits(20, pool: pool)
      visits.run(grain: 1)
      #expect(visits.everyItemOnce && visits.problems.isEmpty)
    }
  }

  @Test("runs from several threads, and from within a run, are safe")
  func concurrentAndNested() throws {
    let pool = try #require(ck_pool_create(3))
    let outer = (0..<4).map { _ in Visits(50, pool: pool) }
    DispatchQueue.concurrentPerform(iterations: outer.count) { outer[$0].run(grain: 2) }
    for visits in outer { #expect(visits.everyItemOnce && visits.problems.isEmpty) }

    final class Nest: @unchecked Sendable {  // each item owns its visits
      let inner: [Visits]
      init(_ pool: OpaquePointer?) { inner = (0..<8).map { _ in Visits(30, pool: pool) } }
    }
    let nest = Nest(pool)
    ck_pool_run(
      pool, nest.inner.count, 1,
      { context, begin, end, _ in
        guard let context else { return }
        let nest = Unmanaged<Nest>.fromOpaque(context).takeUnretainedValue()
        for i in Int(begin)..<Int(end) { nest.inner[i].run(grain: 4) }
      }, Unmanaged.passUnretained(nest).toOpaque())
    for visits in nest.inner { #expect(visits.everyItemOnce && visits.problems.isEmpty) }
    ck_pool_destroy(pool)
  }

  @Test("a thread that waits for a run sleeps soon, also between a caller's runs", arguments: [false, true])
  func waitingTakesNoProcessor(isEntered: Bool) throws {
    let pool = try #require(ck_pool_create(2))
    defer { ck_pool_destroy(pool) }
    if isEntered { ck_pool_enter(pool) }
    defer { if isEntered { ck_pool_leave(pool) } }
    let worker = WorkerClock()
    while worker.seconds == nil {
      ck_pool_run(
        pool, 64, 1,
        { context, _, _, worker in
          guard let context, worker == 1 else { return }
          Unmanaged<WorkerClock>.fromOpaque(context).takeUnretainedValue().record()
        }, Unmanaged.passUnretained(worker).toOpaque())
    }
    let before = try #require(worker.seconds)
    usleep(300_000)
    // Two milliseconds are expected.
    #expect(try #require(worker.seconds) - before < 0.1)
  }

  /// The CPU time of a pool's thread, available once the thread has taken part.
  private final class WorkerClock: @unchecked Sendable {  // guarded by the lock
    private let lock = NSLock()
    private var clock: clockid_t?

    /// Call this on the thread.
    func record() {
      lock.withLock {
        var own = clockid_t()
        if pthread_getcpuclockid(pthread_self(), &own) == 0 { clock = own }
      }
    }

    var seconds: Double? {
      lock.withLock {
        guard let clock else { return nil }
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + 1e-9 * Double(time.tv_nsec)
      }
    }
  }
}
