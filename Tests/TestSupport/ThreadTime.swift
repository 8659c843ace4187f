import Foundation

/// The CPU time of a thread, which other load on the machine does not affect. Other threads may read it while that
/// thread exists.
package struct ThreadTime: Sendable {
  private let clock: clockid_t

  /// Measures the calling thread.
  package init() {
    var clock = clockid_t()
    pthread_getcpuclockid(pthread_self(), &clock)
    self.clock = clock
  }

  /// CPU seconds since the thread began.
  package var now: Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + 1e-9 * Double(time.tv_nsec)
  }

  /// CPU seconds that `body` takes.
  package static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let time = ThreadTime()
    let begin = time.now
    try body()
    return time.now - begin
  }
}
