import CoreMLBase
import Testing

@testable import MIL

@Suite struct RuntimeLimitsTests {
  @Test func theEnvironmentSetsEachLimit() throws {
    var environment: [String: String] = [:]
    for limit in RuntimeLimit.allCases { environment[limit.variable] = "7" }
    let limits = try RuntimeLimits(environment: environment)
    for limit in RuntimeLimit.allCases { #expect(limits[limit] == 7, "\(limit)") }
    #expect(Set(RuntimeLimit.allCases.map(\.variable)).count == RuntimeLimit.allCases.count)
  }

  @Test func whatIsNotSetIsTheDefaultAndNoneIsNone() throws {
    #expect(try RuntimeLimits(environment: ["COREML_STORE_SIZE_LIMIT": "", "PATH": "x"]) == RuntimeLimits())
    let limits = try RuntimeLimits(environment: ["COREML_LOAD_TIME_LIMIT": "none", "COREML_STORE_SIZE_LIMIT": "2G"])
    #expect(limits.loadTime == nil && RuntimeLimits().loadTime != nil)
    #expect(limits.storeSize == 2 << 30 && RuntimeLimits().storeSize == nil)
  }

  @Test(arguments: RuntimeLimit.allCases, ["much", "-1", "0", "1.5.5", "nan"])
  func whatIsNoLimitIsRefusedByName(limit: RuntimeLimit, text: String) {
    let error = #expect(throws: MILError.self) { try RuntimeLimits(environment: [limit.variable: text]) }
    #expect(error?.message.contains(limit.variable) == true && error?.message.contains(text) == true)
  }

  @Test func numbersAreWrittenInTheirUnits() {
    #expect(RuntimeLimit.memory.text(Double(3 << 30)) == "3.0 GB")
    #expect(RuntimeLimit.transferRate.text(1024) == "1.0 KB a second")
    #expect(RuntimeLimit.loadTime.text(2.5) == "2.5 s")
    #expect(RuntimeLimit.operations.text(1e6) == "1000000")
    #expect(RuntimeLimit.memory.text(1e300) == RuntimeLimit.memory.text(0x1p63))
    #expect(RuntimeLimit.storeSize.text(nil) == "none")
  }

  // MARK: time

  @Test func workIsToldWhenItsTimeIsOver() throws {
    let outer = Cancellation()
    let late = Cancellation(after: 0.01, within: outer)
    while !late.isCancelled {}
    #expect(late.isOverdue && !outer.isCancelled)
    let early = Cancellation(after: 1000, within: outer)
    #expect(!early.isCancelled)
    outer.cancel()
    #expect(early.isCancelled && !early.isOverdue)
  }

  @Test func whoWaitsIsToldByWhatIsAroundItToo() {
    let outer = Cancellation()
    let inner = Cancellation(after: 1000, within: outer)
    var told = 0
    // The callback runs on the cancelling thread, which is this one.
    nonisolated(unsafe) let count = { told += 1 }
    inner.telling({ count() }) { outer.cancel() }
    #expect(told == 1)
    outer.cancel()
    #expect(told == 1)
    #expect(Cancellation().patience == nil && Cancellation(when: { false }).patience == Cancellation.pause)
  }
}
