import Testing

@testable import CoreMLExecution
@testable import CoreMLRuntime

/// Values that live at the same time never overlap, and memory is not wasted on those that do not.
@Suite struct MemoryPlanTests {
  @Test func valuesAliveTogetherDoNotOverlap() throws {
    var seed: UInt64 = 7
    func random(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    for _ in 0..<50 {
      let intervals = (0..<60).map { _ -> MemoryPlan.Interval in
        let first = random(40)
        return MemoryPlan.Interval(first: first, last: first + random(12), bytes: random(5000))
      }
      let plan = try MemoryPlan(intervals)
      for a in intervals.indices {
        #expect(plan.offsets[a] % MemoryPlan.alignment == 0)
        #expect(plan.offsets[a] + intervals[a].bytes <= plan.totalBytes)
        for b in intervals.indices where b < a {
          let together = intervals[a].first <= intervals[b].last && intervals[b].first <= intervals[a].last
          let apart =
            plan.offsets[a] + intervals[a].bytes <= plan.offsets[b]
            || plan.offsets[b] + intervals[b].bytes <= plan.offsets[a]
          #expect(!together || apart || intervals[a].bytes == 0 || intervals[b].bytes == 0)
        }
      }
    }
  }

  @Test func aChainNeedsTwoBuffers() throws {
    let intervals = (0..<100).map { MemoryPlan.Interval(first: $0, last: $0 + 1, bytes: 1024) }
    #expect(try MemoryPlan(intervals).totalBytes == 2048)
  }
}
