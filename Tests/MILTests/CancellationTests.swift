import CoreMLBase
import Testing

@testable import MIL

@Suite struct CancellationTests {
  private func isStopped(_ cancellation: Cancellation?) -> Bool {
    guard let cancellation else { return (try? Cancellation.check()) == nil }
    return cancellation.during { (try? Cancellation.check()) == nil }
  }

  @Test func workAsksForItsOwnCancellation() {
    let (outer, inner) = (Cancellation(), Cancellation())
    #expect(!isStopped(outer) && !isStopped(inner) && !isStopped(nil))
    inner.cancel()
    #expect(!isStopped(outer) && isStopped(inner))
    let (before, after) = outer.during { (isStopped(inner), isStopped(nil)) }
    #expect(before && !after)
    outer.cancel()
    #expect(outer.during { isStopped(nil) } && !isStopped(nil))
  }

  @Test func loopsAskNowAndThen() {
    let cancellation = Cancellation()
    var rounds = 0
    _ = cancellation.during {
      #expect(throws: MILError.self) {
        var point = CancellationPoint()
        for _ in 0..<1 << 20 {
          rounds += 1
          if rounds == 1000 { cancellation.cancel() }
          try point.pass()
        }
      }
    }
    #expect((1000...1 << 16).contains(rounds))
  }

  @Test func boundsGoToOtherThreads() async throws {
    let (cancellation, budget) = (Cancellation(), MemoryBudget(limit: 10))
    let bounds = cancellation.during { budget.during { WorkBounds() } }
    cancellation.cancel()
    await Task.detached {
      bounds.during {
        #expect(MemoryBudget.current === budget)
        #expect(throws: MILError.self) { try Cancellation.check() }
      }
    }.value
  }

  /// A cancellation stops parsing and verifying a long program at once.
  @Test func programsAreReadAndVerifiedBetweenQuestions() throws {
    let text = """
      program(1.3) { func main<ios18>(tensor<fp32, [2]> x) { tensor<fp32, [2]> y = square(x = x); } -> (y); }
      """
    let program = try MILText.parse(text)
    let cancellation = Cancellation()
    cancellation.cancel()
    cancellation.during {
      for work in [{ _ = try MILText.parse(text) }, { try program.verify() }] {
        let error = #expect(throws: MILError.self) { try work() }
        #expect(error?.code == .cancelled)
      }
    }
  }
}
