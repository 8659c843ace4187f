import Testing

@testable import CoreMLExecution

/// Values that are live at the same time never overlap, and values that are not share memory.
@Suite struct MemoryPlanTests {
  @Test func valuesAliveTogetherDoNotOverlap() throws {
    var seed: UInt64 = 7
    func random(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    // Short lifetimes first. Then so many long ones that they are laid out in order of time.
    for round in 0..<54 {
      let (count, length) = round < 50 ? (60, 12) : (2000, 900)
      let intervals = (0..<count).map { _ -> MemoryPlan.Interval in
        let first = random(count * 2 / 3)
        return MemoryPlan.Interval(first: first, last: first + random(length), bytes: random(5000))
      }
      let plan = try MemoryPlan(intervals)
      #expect(plan.offsets.allSatisfy { $0 % MemoryPlan.alignment == 0 })
      #expect(zip(plan.offsets, intervals).allSatisfy { $0 + $1.bytes <= plan.totalBytes })
      var overlaps = 0
      for a in intervals.indices {
        for b in intervals.indices where b < a {
          let together = intervals[a].first <= intervals[b].last && intervals[b].first <= intervals[a].last
          let apart =
            plan.offsets[a] + intervals[a].bytes <= plan.offsets[b]
            || plan.offsets[b] + intervals[b].bytes <= plan.offsets[a]
          if together, !apart, intervals[a].bytes > 0, intervals[b].bytes > 0 { overlaps += 1 }
        }
      }
      #expect(overlaps == 0)
    }
  }

  @Test func aChainNeedsTwoBuffers() throws {
    let intervals = (0..<100).map { MemoryPlan.Interval(first: $0, last: $0 + 1, bytes: 1024) }
    #expect(try MemoryPlan(intervals).totalBytes == 2048)
  }
}
