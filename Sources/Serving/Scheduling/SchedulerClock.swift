/// The clock of the scheduler. Tests use one that stands still until they move it.
package struct SchedulerClock: Sendable {
  package var now: @Sendable () -> ContinuousClock.Instant

  package init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

  package static let system = SchedulerClock { ContinuousClock.now }
}
