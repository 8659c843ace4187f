import CKernels
import Foundation
import Synchronization
import Testing

extension CKernelsTests {
  /// Other tests multiply packed operands concurrently. A change of the dispatch table would make them read the wrong
  /// layout.
  @Test("a forced instruction set is only used on its thread")
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

  @Test("each architecture has its own sets, and a limit is one of them")
  func setsOfTheArchitecture() {
    let names = (0..<CK_ISA_COUNT.rawValue).map { String(cString: ck_isa_name(ck_isa($0))) }
    #expect(
      names == [
        "generic", "avx2", "avx512", "avx512vbmi", "avx512vnni", "avx512bf16", "neon", "neon_dotprod", "neon_bf16",
      ])
    let built = zip(names, 0..<CK_ISA_COUNT.rawValue).filter { ck_isa_built(ck_isa($0.1)) }.map(\.0)
    #if arch(arm64)
      #expect(built == ["generic", "neon"])
      // Every processor of this architecture supports it, and the sets that extend it have no kernels.
      #expect(ck_isa_supported(CK_ISA_NEON) && ck_isa_detected() == CK_ISA_NEON)
    #elseif arch(x86_64)
      #expect(built == ["generic", "avx2", "avx512", "avx512vbmi", "avx512vnni", "avx512bf16"])
    #endif
    var forced: [String] = []
    withEachISA { forced.append($0) }
    #expect(forced.first == "generic" && Set(forced).isSubset(of: built))
    for isa in (0..<CK_ISA_COUNT.rawValue).map({ ck_isa($0) }) where !ck_isa_built(isa) {
      #expect(!ck_force_isa_for_tests(isa) && ck_isa_overrides(isa) == 0)
      #if arch(x86_64)
        #expect(!ck_isa_supported(isa))
      #endif
    }
    #expect(!ck_isa_built(CK_ISA_COUNT))
  }

  @Test("an extended instruction set inherits the base table except for overrides")
  func overrides() {
    for isa in [CK_ISA_GENERIC, CK_ISA_AVX2, CK_ISA_AVX512, CK_ISA_NEON, CK_ISA_NEON_DOTPROD, CK_ISA_NEON_BF16] {
      #expect(ck_isa_overrides(isa) == 0)
    }
    #if arch(x86_64)
      #expect(ck_isa_overrides(CK_ISA_AVX512VBMI) == 1)
      #expect(ck_isa_overrides(CK_ISA_AVX512VNNI) == 26)
      #expect(ck_isa_overrides(CK_ISA_AVX512BF16) == 41)
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
