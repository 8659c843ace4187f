#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Moments of the system's clock and of file systems, in nanoseconds since 1970 modulo 2^64.
///
/// 64 bits hold such moments until 2262-04-11 only. So they are never compared or converted: `elapsed` takes their difference, which holds
/// for 292 years whatever the clock says.
package enum WallClock {
  /// What the clock says now.
  package static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }

  package static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Nanoseconds from one moment to another; negative where it is the other way round.
  package static func elapsed(from start: Int64, to end: Int64) -> Int64 { end &- start }
}
