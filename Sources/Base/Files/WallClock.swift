#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Timestamps of the system clock and of file systems, in nanoseconds since 1970 modulo 2^64.
///
/// 64 bits overflow on 2262-04-11. So timestamps must not be compared or converted directly. `elapsed` computes their
/// difference, which is correct for spans of up to 292 years.
package enum WallClock {
  /// The current time.
  package static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }

  package static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// The nanoseconds from `start` to `end`; negative if `end` is earlier.
  package static func elapsed(from start: Int64, to end: Int64) -> Int64 { end &- start }
}
