@testable import CoreMLServing
import CoreMLRuntime
import CoreMLServingInterface
import Testing

@Suite struct SequenceTableTests {
  private let now = ContinuousClock.now

  private func table(_ most: Int = 10) -> SequenceTable {
    SequenceTable(maximumCount: most) { SequenceState(MLModel().makeState()) }
  }

  private func step(_ id: String, start: Bool = false, end: Bool = false) -> SequenceStep {
    SequenceStep(id: id, isStart: start, isEnd: end)
  }

  @Test func idleSequencesEnd() throws {
    let table = table()
    let state = try table.begin(step("a", start: true), now: now)
    // A request that runs for long keeps its sequence.
    table.expire(now: now + .seconds(100))
    #expect(table.contains("a"))
    table.finish(step("a", start: true), state, hasRun: true, now: now + .seconds(100))
    table.expire(now: now + .seconds(159))
    let same = try table.begin(step("a"), now: now + .seconds(159))
    #expect(same === state)
    table.finish(step("a"), state, hasRun: true, now: now + .seconds(159))
    #expect(throws: ServingError.self) { try table.begin(step("a"), now: now + .seconds(219)) }
    #expect(table.isEmpty)
  }

  @Test func aRefusedStartLeavesNoSequence() throws {
    let table = table()
    let state = try table.begin(step("a", start: true), now: now)
    table.finish(step("a", start: true), state, hasRun: false, now: now)
    #expect(table.isEmpty)
  }

  @Test func aRefusedEndLeavesTheSequence() throws {
    let table = table()
    let state = try table.begin(step("a", start: true), now: now)
    table.finish(step("a", start: true), state, hasRun: true, now: now)
    _ = try table.begin(step("a", end: true), now: now)
    table.finish(step("a", end: true), state, hasRun: false, now: now)
    #expect(table.contains("a"))
  }

  @Test func aStartReplacesTheState() throws {
    let table = table()
    let first = try table.begin(step("a", start: true), now: now)
    let second = try table.begin(step("a", start: true), now: now)
    #expect(first !== second)
    table.finish(step("a", start: true, end: true), first, hasRun: true, now: now)
    #expect(table.contains("a"))
  }

  @Test func theNumberOfSequencesIsBounded() throws {
    let table = table(1)
    _ = try table.begin(step("a", start: true), now: now)
    let error = #expect(throws: ServingError.self) { try table.begin(step("b", start: true), now: now) }
    #expect(error?.code == .exhausted)
  }
}
