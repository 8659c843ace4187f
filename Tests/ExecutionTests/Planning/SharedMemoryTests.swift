import Testing

@testable import CoreMLExecution

/// Values that share memory, and the free ranges of it, in whatever order they were added.
@Suite struct SharedMemoryTests {
  /// The result agrees with a table of every value's owner and offset.
  @Test func placesAreThoseOfATable() {
    var seed: UInt64 = 11
    func random(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    for _ in 0..<50 {
      let count = 40
      var shared = SharedMemory(count: count)
      var table = (0..<count).map { (owner: $0, offset: 0) }
      for _ in 0..<60 {
        let (child, parent) = (table[random(count)].owner, table[random(count)].owner)
        guard child != parent else { continue }
        let offset = random(1000)
        shared.put(child, in: parent, at: offset)
        for value in table.indices where table[value].owner == child {
          table[value] = (parent, table[value].offset + offset)
        }
        #expect((0..<count).allSatisfy { shared.place(of: $0) == table[$0] })
      }
    }
  }

  /// Finding a value takes constant time, also in the longest chain of memory within memory. Walking it from end to end
  /// would take minutes.
  @Test(.timeLimit(.minutes(1))) func chainsAreShallow() {
    let count = 200_000
    var shared = SharedMemory(count: count)
    for value in 1..<count { shared.put(value - 1, in: value, at: 1) }
    #expect((0..<count).allSatisfy { shared.place(of: $0) == (count - 1, count - 1 - $0) })
  }

  /// A free list in segments gives the same results as a single list.
  @Test func freeRangesAreThoseOfOneList() {
    var seed: UInt64 = 5
    func random(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    var free = FreeRanges()
    var bytes = Set<Int>()
    var taken: [(offset: Int, bytes: Int)] = []
    for round in 0..<6000 {
      // Most rounds take memory first. Later rounds free more than they take, in random order.
      if taken.isEmpty || (round < 3000 ? random(10) > 0 : random(3) == 0) {
        let size = 1 + random(4)
        let offset = free.take(size)
        for byte in offset..<offset + size {
          #expect(bytes.insert(byte).inserted, "byte \(byte) is taken twice")
        }
        taken.append((offset, size))
      } else {
        let range = taken.remove(at: random(taken.count))
        for byte in range.offset..<range.offset + range.bytes { bytes.remove(byte) }
        free.giveBack(range.offset, range.bytes)
      }
    }
    for range in taken { free.giveBack(range.offset, range.bytes) }
    // The free memory is one range again.
    let most = free.take(1 << 20)
    #expect(most > 1000 && free.take(most) == 0 && free.take(1) > most)
  }
}
