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

  @Test("a set that adds to another has its table, but for what it overrides")
  func overrides() {
    for isa in [CK_ISA_GENERIC, CK_ISA_AVX2, CK_ISA_AVX512] { #expect(ck_isa_overrides(isa) == 0) }
    #if arch(x86_64)
      #expect(ck_isa_overrides(CK_ISA_AVX512VBMI) == 2)
    #endif
    #expect(ck_isa_overrides(CK_ISA_COUNT) == 0)
    #expect(ck_isa_supported(CK_ISA_GENERIC) && !ck_isa_supported(CK_ISA_COUNT))
    #expect(!ck_force_isa_for_tests(CK_ISA_COUNT))
    var best = CK_ISA_GENERIC
    withEachISA { name in
      #expect(String(cString: ck_isa_name(ck_isa_active())) == name)
      best = ck_isa_active()
    }
    #expect(best == ck_isa_detected())
  }
}
