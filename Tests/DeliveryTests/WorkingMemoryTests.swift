import Foundation
import Testing

@testable import CoreMLDelivery

@Suite struct WorkingMemoryTests {
  @Test func itIsZeroedPagesOfItsOwn() throws {
    let memory = try WorkingMemory.take()
    #expect(memory.count == 1 << 20)
    #expect(memory.allSatisfy { $0 == 0 })
    // The mapping is page-aligned. A block of the allocator would begin after its header.
    #expect(UInt(bitPattern: memory.baseAddress) % UInt(sysconf(Int32(_SC_PAGESIZE))) == 0)
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
