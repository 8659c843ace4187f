import Testing

@testable import CoreMLDelivery

@Suite struct PauseTests {
  @Test func aPauseLastsItsTime() async throws {
    let clock = ContinuousClock()
    let begin = clock.now
    try await Pause.wait(.milliseconds(30))
    #expect(clock.now - begin >= .milliseconds(30))
    try await Pause.wait(.zero)
    try await Pause.wait(.seconds(-1))
  }

  @Test func aCancelledPauseEndsAtOnce() async throws {
    for isEarly in [true, false] {
      let pause = Task {
        if isEarly { withUnsafeCurrentTask { $0?.cancel() } }
        try await Pause.wait(.seconds(Int64.max))
      }
      if !isEarly {
        try await Task.sleep(for: .milliseconds(20))
        pause.cancel()
      }
      // A pause that is not cancelled would never end.
      await #expect(throws: CancellationError.self) { try await pause.value }
    }
  }

  @Test func manyRaceWithTheirCancellation() async throws {
    let ended = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<2000 {
        group.addTask {
          let pause = Task { try await Pause.wait(.microseconds(number % 7 * 100)) }
          if number % 2 == 0 { pause.cancel() }
          if case .failure(let error) = await pause.result { return error is CancellationError }
          return true
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(ended == 2000)
  }
}
