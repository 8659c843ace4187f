import CoreMLKernels
import Foundation
import Synchronization
import Testing

/// One pool serves any number of concurrent callers.
@Suite struct ThreadPoolTests {
  @Test func everyCallersRangeIsCoveredOnce() {
    let pool = ThreadPool(threads: 3)
    DispatchQueue.concurrentPerform(iterations: 8) { caller in
      for round in 0..<200 {
        let count = 1 + (caller * 37 + round * 13) % 300
        let grain = 1 + round % 7
        let cells = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
        cells.initialize(repeating: 0, count: count)
        defer { cells.deallocate() }
        pool.run(count, grain: grain) { range in
          for cell in range { cells[cell] += 1 }
        }
        #expect((0..<count).allSatisfy { cells[$0] == 1 })
      }
    }
  }

  /// A caller that started alone, because other callers had the threads, gets the threads once they are free.
  @Test func aBusyPoolHelpsWhenItIsFree() {
    let pool = ThreadPool(threads: 2)
    let isTaken = DispatchSemaphore(value: 0)
    let mayEnd = Mutex(false)
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let count = Atomic(0)
      pool.run(2) { _ in
        if count.add(1, ordering: .relaxed).newValue == 2 { isTaken.signal() }
        while !mayEnd.withLock({ $0 }) { usleep(100) }
      }
      hasEnded.signal()
    }
    isTaken.wait()
    let threads = Mutex<Set<UInt>>([])
    let chunks = Atomic(0)
    pool.run(64) { _ in
      threads.withLock { _ = $0.insert(UInt(pthread_self())) }
      if chunks.add(1, ordering: .relaxed).newValue == 1 {
        mayEnd.withLock { $0 = true }
        hasEnded.wait()
        return
      }
      // No thread runs all items before the other thread has started.
      let end = Date(timeIntervalSinceNow: 120)
      while threads.withLock({ $0.count }) < 2, Date() < end { usleep(100) }
    }
    #expect(chunks.load(ordering: .relaxed) == 64)
    #expect(threads.withLock { $0.count } == 2)
  }

  /// Each thread starts with its own part of the range, which is the same in every run. Then it continues with the
  /// remaining parts of other threads.
  @Test func everyThreadBeginsWithItsOwnPart() {
    let pool = ThreadPool(threads: 3)
    for _ in 0..<20 {
      let begun = Mutex<[UInt: Int]>([:])
      let all = Mutex<[Int]>([])
      pool.run(90) { range in
        let me = UInt(pthread_self())
        begun.withLock { if $0[me] == nil { $0[me] = range.lowerBound } }
        all.withLock { $0 += range }
        // No thread takes a part of another thread before that one has started.
        let end = Date(timeIntervalSinceNow: 120)
        while begun.withLock({ $0.count }) < 3, Date() < end { usleep(100) }
      }
      #expect(begun.withLock { $0.values.sorted() } == [0, 30, 60])
      #expect(all.withLock { $0.sorted() } == Array(0..<90))
    }
  }

  /// A kernel that runs another kernel on its own pool.
  @Test func aRunInsideOfARun() {
    let pool = ThreadPool(threads: 2)
    let sum = Atomic(0)
    pool.run(16) { outer in
      for _ in outer { pool.run(16) { sum.add($0.count, ordering: .relaxed) } }
    }
    #expect(sum.load(ordering: .relaxed) == 256)
  }

  @Test(arguments: [0, 1, 2, 7, 100]) func threadsOfOurOwnTakeEachTurnOnce(count: Int) {
    let taken = Mutex<[Int]>([])
    SystemThreads.perform(count) { turn in taken.withLock { $0.append(turn) } }
    #expect(taken.withLock { $0.sorted() } == Array(0..<count))
  }
}
