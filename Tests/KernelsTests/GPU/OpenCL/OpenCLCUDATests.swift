import Synchronization
import Testing

@testable import CoreMLKernels

/// An NVIDIA device goes through the CUDA driver if a probe program works there. If a step fails, it goes through OpenCL
/// alone, and the context says why in one line.
@MainActor
@Suite(
  .serialized, .needsOpenCL,
  .enabled(if: !FakeCUDA.isDriverInstalled && !OpenCLHarness.isSimulated, "needs a machine without CUDA's driver")
)
struct OpenCLCUDATests {
  private let fake: FakeCUDA

  /// The fault of a device that CUDA does not have. The back end remembers devices that it has matched, so this context
  /// is the first one.
  private static let unmatched: String? = {
    FakeCUDA.bus.store(0x20, ordering: .relaxed)
    defer { FakeCUDA.bus.store(0x10, ordering: .relaxed) }
    return try? open().cudaFault
  }()

  init() throws {
    fake = try FakeCUDA.shared.get()
    _ = Self.unmatched
    fake.fail(0, 0, false)
    fake.spoil(false)
    FakeCUDA.compilerFails.store(false, ordering: .relaxed)
    FakeCUDA.ptx.withLock { $0 = FakeCUDA.probe }
  }

  private static func open(allowsCUDA: Bool = true) throws -> OpenCLContext {
    let device = try FakeCUDA.device(allowsCUDA: allowsCUDA)
    return try OpenCLContext(#require(device))
  }

  /// The device is used through OpenCL alone, and works there.
  private func expectPlain(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let context = try Self.open()
    #expect(!context.device.usesCUDA, sourceLocation: sourceLocation)
    let fault = try #require(context.cudaFault, sourceLocation: sourceLocation)
    #expect(fault.contains(words) && !fault.contains("\n"), "\(fault)", sourceLocation: sourceLocation)
    #expect(fake.live() == 0, "what the probe created is released", sourceLocation: sourceLocation)
    FakeCUDA.compilerFails.store(false, ordering: .relaxed)
    try OpenCLProbe.run("probe_launch", on: context)
  }

  @Test func aProbeThatWorksTakesTheCUDADriver() throws {
    do {
      let context = try Self.open()
      #expect(context.device.usesCUDA && context.cudaFault == nil)
      #expect(fake.live() > 0)
      try OpenCLProbe.run("probe_launch", on: context)
    }
    #expect(fake.live() == 0)
  }

  @Test func withoutPermissionNothingIsTriedOrTold() throws {
    let context = try Self.open(allowsCUDA: false)
    #expect(!context.device.usesCUDA && context.cudaFault == nil && fake.calls() == 0)
  }

  @Test func aDeviceThatCUDADoesNotHave() {
    #expect(Self.unmatched?.contains("none of 2 CUDA devices is this OpenCL device") == true)
  }

  @Test func aCompilerThatFails() throws {
    FakeCUDA.compilerFails.store(true, ordering: .relaxed)
    try expectPlain("CL_BUILD_PROGRAM_FAILURE")
  }

  @Test(arguments: [
    ("", "gave no PTX"), ("\u{7F}ELF", "gave no PTX"),
    (FakeCUDA.probe.replacing("%envreg6", with: "%envreg31"), "reads %envreg31, which is unknown"),
    (FakeCUDA.probe.replacing("ret;", with: "\n//@cluster 99\nret;"), "asks for clusters of 99 groups"),
    (FakeCUDA.probe.replacing("param_1", with: "param_1[99999999]"), "kernel 1 of the PTX cannot be read"),
    (FakeCUDA.probe.replacing(".param .u64 .ptr", with: ".param .x64 .ptr"), "CL_INVALID_KERNEL_DEFINITION"),
    (FakeCUDA.probe.replacing("ret;", with: "BAD;"), "CUDA does not load the PTX"),
    (FakeCUDA.probe.replacing("probe_launch", with: "other"), "CL_INVALID_KERNEL_NAME"),
  ])
  func aTextThatCannotBeUsed(_ ptx: String, _ words: String) throws {
    FakeCUDA.ptx.withLock { $0 = ptx }
    try expectPlain(words)
  }

  @Test func aWrongResult() throws {
    fake.spoil(true)
    try expectPlain("computes wrong values")
  }

  /// Each call of CUDA's driver fails in turn, alone or with all later ones. Some failures do no harm, as those of calls
  /// that release something.
  @Test(arguments: [false, true]) func everyCallThatFails(_ forGood: Bool) throws {
    _ = try Self.open()
    fake.fail(0, 0, false)
    _ = try Self.open()
    let count = fake.calls()
    #expect(count > 20)
    var plain = 0
    for number in 1...count {
      fake.fail(number, 719, forGood)
      do {
        let context = try Self.open()
        fake.fail(0, 0, false)
        #expect(context.device.usesCUDA == (context.cudaFault == nil), "call \(number)")
        if context.device.usesCUDA { try OpenCLProbe.run("probe_launch", on: context) } else { plain += 1 }
      }
      #expect(fake.live() == 0, "call \(number)")
    }
    #expect(plain > count / 2, "\(plain) of \(count)")
  }
}
