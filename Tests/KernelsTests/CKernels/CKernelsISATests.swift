import CKernels
import Foundation
import Synchronization
import Testing

extension CKernelsTests {
  /// Other tests multiply packed operands at the same time: another table in their midst would read them in the wrong layout.
  @Test("a forced instruction set is in use on its thread alone")
  func forcedOnOneThread() {
    #expect(ck_isa_active() == ck_isa_detected())
    #expect(ck_force_isa_for_tests(CK_ISA_GENERIC))
    defer { ck_force_isa_for_tests(ck_isa_detected()) }
    #expect(ck_isa_active() == CK_ISA_GENERIC)
    let done = DispatchSemaphore(value: 0)
    let elsewhere = Mutex<ck_isa?>(nil)
    Thread.detachNewThread {
      elsewhere.withLock { $0 = ck_isa_active() }
      done.signal()
    }
    done.wait()
    #expect(elsewhere.withLock { $0 } == ck_isa_detected())
  }
}
