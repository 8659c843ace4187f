import CoreMLBase
import Foundation
import MIL
import Synchronization
import TestModels
import TestSupport
import Testing

@testable import CoreMLExecution
@testable import CoreMLRuntime

/// A cancellation passes through the public API.
@Suite struct CancelledTaskTests {
  /// The cancellation of a task passes through the public API to another thread.
  @Test func aCancelledTaskEndsItsLoop() async throws {
    let program = try MILText.parse(
      """
      program(1.3) { func main<ios18>(fp32 x) {
        fp32 y = while_loop(loop_vars = (x)) block(fp32 v) { bool m = greater(x = v, y = fp32(0)); } -> (m)
          block(fp32 v) { fp32 w = abs(x = v); } -> (w);
      } -> (y); }
      """)
    let engine = Engine(function: try #require(program.functions["main"]), devices: DeviceChoice(threads: 2))
    let worker = Mutex<(time: ThreadTime?, end: Double)>((nil, 0))
    let task = Task {
      try await offCaller {
        let time = ThreadTime()
        worker.withLock { $0.time = time }
        defer { worker.withLock { $0 = (nil, time.now) } }
        try engine.run(
          ["x": .tensor(Tensor(float32: [1], shape: []))], states: StateBuffers(types: [:]),
          shouldStop: { false }
        ) { _ in }
      }
    }
    while worker.withLock({ $0.time == nil }) { try await Task.sleep(for: .milliseconds(10)) }
    try await Task.sleep(for: .milliseconds(200))
    let cancelled = try #require(worker.withLock { $0.time?.now })
    task.cancel()
    let error = try #require(await #expect(throws: (any Error).self) { try await task.value })
    // Work that does not check for cancellation runs for minutes. The time in the scheduler's queue does not count.
    let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    #expect(worker.withLock { $0.end } - cancelled < (isSanitized ? 120 : 10))
    let code = (error as? MILError)?.code.rawValue ?? (error as? RuntimeError)?.code.rawValue
    #expect(code == "mil.cancelled" || code == "runtime.cancelled", "\(error)")
  }

  @Test func loadingEndsWhenToldTo() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "stopping-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let bytes = FeatureModels.model(500, [.floats("x", [2])], [.floats("y", [2])]) { network in
      for index in 0..<30000 {
        network.append(1, bytes: Net.add(index == 0 ? "x" : "t\(index - 1)", 1, index == 29999 ? "y" : "t\(index)"))
      }
    }
    let file = folder.appending(path: "Long.mlmodel")
    try Data(bytes).write(to: file)
    let cancellation = Cancellation()
    cancellation.cancel()
    let error = #expect(throws: MLModelError.self) {
      try cancellation.during { _ = try MLModel.compileModel(at: file) }
    }
    #expect(error?.code == .predictionCancelled, "\(String(describing: error))")
  }
}
