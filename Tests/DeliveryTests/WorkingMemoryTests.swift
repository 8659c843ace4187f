import Foundation
import Testing

@testable import CoreMLDelivery

@Suite struct WorkingMemoryTests {
  /// Of the allocator's memory, glibc's arenas would keep what is given back.
  @Test func itIsZeroedPagesOfItsOwn() throws {
    let memory = try WorkingMemory.take()
    #expect(memory.count == 1 << 20)
    #expect(memory.allSatisfy { $0 == 0 })
    #expect(UInt(bitPattern: memory.baseAddress) % UInt(sysconf(Int32(_SC_PAGESIZE))) == 0)
    // The allocator's blocks begin behind their head, never with a page.
    WorkingMemory.giveBack(memory)
  }

  @Test func whatTheSystemHasNotIsAnError() {
    #expect {
      try WorkingMemory.take(1 << 60)
    } throws: {
      ($0 as? DeliveryError)?.code == .noMemory
    }
  }
}
