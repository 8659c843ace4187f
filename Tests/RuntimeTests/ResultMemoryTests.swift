import Testing

@testable import CoreMLRuntime

@Suite struct ResultMemoryTests {
  /// What was given back comes again for the same size, while it is not given out; less room than that keeps the last.
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
    // It does not fit beside those two, which go.
    let other = try #require(memory.allocate(800_000))
    other.release()
    #expect(try #require(memory.allocate(800_000)).pointer == other.pointer)
    other.release()
    // What fits nowhere goes at once, and leaves what is kept alone.
    try #require(memory.allocate(2 << 20)).release()
    #expect(try #require(memory.allocate(800_000)).pointer == other.pointer)
    other.release()
    #expect(memory.allocate(.max) == nil)
  }
}
