import CCoreMLRuntime
import CoreMLRuntime
import Testing

@testable import CInterface

/// Statuses of errors that a check in C cannot cause deliberately.
@Suite struct StatusTests {
  @Test(arguments: [
    ("opencl.memory", COREML_NO_MEMORY), ("opencl.call", COREML_DEVICE), ("opencl.build", COREML_DEVICE),
    ("opencl.unavailable", COREML_DEVICE), ("opencl.launch", COREML_DEVICE), ("kernel.out-of-memory", COREML_NO_MEMORY),
    ("mil.over-time", COREML_CANCELLED), ("kernel.none", COREML_UNSUPPORTED), ("runtime.generic", COREML_FAILED),
  ])
  func devicesHaveStatusesOfTheirOwn(code: String, status: Int) {
    let handle = ErrorHandle(MLModelError(.generic, "it failed", underlyingCode: code))
    #expect(handle.status == coreml_status(status) && String(cString: handle.code) == code)
  }
}
