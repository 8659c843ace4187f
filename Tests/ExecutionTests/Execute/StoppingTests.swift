import CoreMLBase
import Foundation
import MIL
import Synchronization
import TestSupport
import Testing

@testable import CoreMLKernels
@testable import CoreMLExecution

/// Every long-running part checks for cancellation: loops, reference implementations and planning.
@Suite struct StoppingTests {
  /// Runs `work` and cancels it after `delay`. Returns the CPU seconds of the thread from the cancellation to the end
  /// of `work`, and the error.
  private static func stopping(after delay: Double, _ work: @escaping @Sendable () throws -> Void) throws -> (
    seconds: Double, error: any Error
  ) {
    let cancellation = Cancellation()
    let cancelled = Mutex<Double?>(nil)
    let time = ThreadTime()
    // A separate thread, because the work to be cancelled may occupy all threads of the queues.
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: delay)
      cancelled.withLock { $0 = time.now }
      cancellation.cancel()
    }
    do {
      try cancellation.during(work)
    } catch {
      let end = time.now
      return (end - (cancelled.withLock { $0 } ?? end), error)
    }
    throw RuntimeError(.evaluation, "the work was not stopped")
  }

  private static func expectCancelled(_ outcome: (seconds: Double, error: any Error)) {
    // Work that does not check for cancellation runs for minutes. The time in the scheduler's queue does not count.
    let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    #expect(outcome.seconds < (isSanitized ? 120 : 10))
    let code = (outcome.error as? MILError)?.code.rawValue ?? (outcome.error as? RuntimeError)?.code.rawValue
    #expect(code == "mil.cancelled" || code == "runtime.cancelled", "\(outcome.error)")
  }

  /// Loops that end after 2^24 rounds at the earliest. The last one has no operations.
  @Test(arguments: [
    "bool c = less(x = v, y = fp32(0)); bool m = logical_not(x = c);} -> (m) block(fp32 v) { fp32 w = abs(x = v); } -> (w)",
    "bool m = const()[val = bool(true)]; } -> (m) block(fp32 v) { } -> (v)",
  ])
  func anEndlessLoopEndsWhenToldTo(blocks: String) throws {
    let engine = try EngineTests.engine(
      "(fp32 x) { fp32 y = while_loop(loop_vars = (x)) block(fp32 v) { \(blocks); } -> (y)")
    Self.expectCancelled(
      try Self.stopping(after: 0.3) { _ = try EngineTests.run(engine, ["x": Tensor(float32: [1], shape: [])]) })
  }

  /// Reference implementations that would run for minutes.
  @Test(arguments: [
    ("matmul(x = x, y = x)", [3000, 3000]),
    ("einsum(values = (x, x), equation = string(\"ij,jk->ik\"))", [3000, 3000]),
    ("reduce_prod(x = x, axes = tensor<int32, [1]>([0]))", [3000, 3000]), ("add(x = x, y = x)", [3000, 3000]),
    ("l2_norm(x = x)", [1, 3000, 3000]), ("cumsum(x = x, axis = int32(1))", [3000, 3000]),
    ("tile(x = x, reps = tensor<int32, [2]>([1, 1]))", [3000, 3000]),
    ("sliding_windows(x = x, axis = int32(0), size = int32(1000))", [20000, 20]),
  ])
  func longReferencesEndWhenToldTo(call: String, shape: [Int]) throws {
    let program = try MILText.parse(
      "program(1.3) { func main<ios18>(tensor<int32, \(shape)> x) { int32 y = \(call); } -> (y); }")
    let operation = try #require(program.functions["main"]?.body.operations.first)
    let x = Value.tensor(try Tensor.zeros(.int32, shape: shape))
    var scope = Scope()
    scope.define("x", x.type, value: x)
    let invocation = try scope.invocation(of: operation)
    Self.expectCancelled(try Self.stopping(after: 0.2) { _ = try References.evaluate(invocation) })
  }

  @Test func planningEndsWhenToldTo() throws {
    var text = "(tensor<fp32, [2]> v0) {"
    for index in 1...200_000 { text += "tensor<fp32, [2]> v\(index) = square(x = v\(index - 1));" }
    let engine = try EngineTests.engine(text + "} -> (v200000)")
    Self.expectCancelled(try Self.stopping(after: 0.1) { _ = try engine.plan(for: engine.inputTypes) })
  }
}
