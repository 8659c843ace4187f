import CoreMLRuntime
import MIL
import Testing

@testable import CoreMLKernels

/// The cause of an error follows from its code alone.
@Suite struct ErrorCauseTests {
  @Test func devicesFailAndHaveNoMemory() {
    for code in [
      KernelError.Code.openCLUnavailable, .openCLBuild, .openCLCall, .openCLLaunch, .openCLHung, .device,
    ] { #expect(ErrorCause(code: code.rawValue) == .device, "\(code)") }
    for code in [KernelError.Code.openCLMemory, .outOfMemory] {
      #expect(ErrorCause(code: code.rawValue) == .memory, "\(code)")
    }
    #expect(MLModelError(.generic, "full", underlyingCode: "opencl.memory").cause == .memory)
    #expect(ErrorCause(code: MILError.Code.outOfMemory.rawValue) == .memory)
    #expect(ErrorCause(code: "opencl.unheard-of") == .other)
  }

  /// CL_OUT_OF_RESOURCES, CL_INVALID_BUFFER_SIZE: memory. CL_INVALID_COMMAND_QUEUE: the device.
  @Test(arguments: [(Int32(-5), ErrorCause.memory), (-61, .memory), (-36, .device)])
  func statusesOfOpenCLAreSorted(status: Int32, cause: ErrorCause) {
    let error = #expect(throws: KernelError.self) { try OpenCLStatus.check(status, "call", "device") }
    #expect(error.map { ErrorCause(code: $0.code.rawValue) } == cause)
  }
}
