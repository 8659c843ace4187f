import AllocationCount
import Foundation
import Testing

@testable import CoreMLRuntime

/// Freeing a model returns unused memory to the system.
@Suite(.enabled(if: AllocationCount.isOn, "a sanitizer has its own allocator")) struct MemoryReturnTests {
  static func resident() throws -> Int {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").dropFirst().first
    return (pages.flatMap { Int($0) } ?? 0) * 4096
  }

  /// Threads that allocate and free much and keep a little of the last allocations, so that the malloc arenas cannot
  /// shrink automatically.
  static func churn() {
    let done = DispatchGroup()
    for _ in 0..<8 {
      done.enter()
      Thread.detachNewThread {
        var blocks: [UnsafeMutableRawPointer] = []
        for _ in 0..<256 {
          let block = UnsafeMutableRawPointer.allocate(byteCount: 64 << 10, alignment: 16)
          memset(block, 1, 64 << 10)
          blocks.append(block)
        }
        for block in blocks.dropLast() { block.deallocate() }
        done.leave()
      }
    }
    done.wait()
  }

  @Test func aModelThatGoesTakesFreeMemoryAlong() async {
    await #expect(processExitsWith: .success) {
      let folder = try await MLModel.compileModel(at: ModelDescriptionTests.digits.appending(path: "Digits.mlpackage"))
      var model: MLModel? = try MLModel(contentsOf: folder)
      MemoryReturnTests.churn()
      let before = try MemoryReturnTests.resident()
      withExtendedLifetime(model) {}
      model = nil
      let after = try MemoryReturnTests.resident()
      guard after < before - (80 << 20) else {
        fatalError("\(before) bytes are resident before, \(after) after")
      }
    }
  }
}
