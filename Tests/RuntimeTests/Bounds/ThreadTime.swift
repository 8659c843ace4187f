import Foundation

/// Time that a thread has worked: what else the machine does counts for nothing. Other threads may read it, as long as that one is there.
struct ThreadTime: Sendable {
  private let clock: clockid_t

  /// That of the thread that asks.
  init() {
    var clock = clockid_t()
    pthread_getcpuclockid(pthread_self(), &clock)
    self.clock = clock
  }

  /// Seconds since the thread began.
  var now: Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + 1e-9 * Double(time.tv_nsec)
  }

  /// Seconds that `body` takes.
  static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let time = ThreadTime()
    let begin = time.now
    try body()
    return time.now - begin
  }
}
