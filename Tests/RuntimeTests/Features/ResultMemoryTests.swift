import Testing

@testable import CoreMLRuntime

@Suite struct ResultMemoryTests {
  /// `allocate` returns released memory again for a request of the same size. If the pool is full, it keeps the memory
  /// that was released last.
  @Test func memoryComesAgain() throws {
    let memory = ResultMemory(mostKept: 1 << 20)
    let first = try #require(memory.allocate(300_000))
    let second = try #require(memory.allocate(300_000))
    #expect(first.pointer != second.pointer && UInt(bitPattern: first.pointer) % 64 == 0)
    first.pointer.initializeMemory(as: UInt8.self, repeating: 1, count: 300_000)
    first.release()
    #expect(try #require(memory.allocate(300_000)).pointer == first.pointer)
    first.release()
    second.release()
    // The pool cannot hold it together with the first two blocks, so it frees those.
    let other = try #require(memory.allocate(800_000))
    other.release()
    #expect(try #require(memory.allocate(800_000)).pointer == other.pointer)
    other.release()
    // Memory larger than the pool is freed at once, and does not displace what the pool keeps.
    try #require(memory.allocate(2 << 20)).release()
    #expect(try #require(memory.allocate(800_000)).pointer == other.pointer)
    other.release()
    #expect(memory.allocate(.max) == nil)
  }
}
