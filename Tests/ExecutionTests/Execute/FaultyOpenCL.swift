import COpenCL
import Synchronization
import Testing

@testable import CoreMLKernels

/// The system's OpenCL library with wrappers around every call. One call can be made to fail. Only one test may use it
/// at a time.
enum FaultyOpenCL {
  /// The entry points of the real library, or nil if it is not installed.
  static let real: OpenCLLibrary? = try? OpenCLLibrary(path: "libOpenCL.so.1")

  private static let calls = Atomic(0)
  private static let failing = Atomic(0)
  private static let code = Atomic(0)
  private static let failed = Mutex("")

  /// Counts calls from now on, and makes the call with this number return `status`. With 0, no call fails.
  static func fail(_ number: Int, status: Int32) {
    calls.store(0, ordering: .relaxed)
    code.store(Int(status), ordering: .relaxed)
    failing.store(number, ordering: .relaxed)
    failed.withLock { $0 = "" }
  }

  /// Makes the call with this number and all later calls fail.
  static func fail(from number: Int, status: Int32) { fail(-number, status: status) }

  static var callCount: Int { calls.load(ordering: .relaxed) }

  /// The name of the last call that was made to fail, or an empty string.
  static var failedCall: String { failed.withLock { $0 } }

  private static func fails(_ name: StaticString) -> cl_int? {
    let number = calls.add(1, ordering: .relaxed).newValue
    let wanted = failing.load(ordering: .relaxed)
    guard number == wanted || (wanted < 0 && number >= -wanted) else { return nil }
    failed.withLock { $0 = "\(name)" }
    return cl_int(code.load(ordering: .relaxed))
  }

  private static func call(_ name: StaticString, _ real: (COpenCLFunctions) -> cl_int?) -> cl_int {
    fails(name) ?? FaultyOpenCL.real.flatMap { real($0.functions) } ?? CL_INVALID_OPERATION
  }

  /// Memory is released in any case: what a failing driver would keep does not matter to a test.
  private static func release(_ name: StaticString, _ real: (COpenCLFunctions) -> cl_int) -> cl_int {
    let status = FaultyOpenCL.real.map { real($0.functions) } ?? CL_INVALID_OPERATION
    return fails(name) ?? status
  }

  private static func make<T>(
    _ name: StaticString, _ status: UnsafeMutablePointer<cl_int>?, _ real: (COpenCLFunctions) -> T?
  ) -> T? {
    if let failure = fails(name) {
      status?.pointee = failure
      return nil
    }
    return FaultyOpenCL.real.flatMap { real($0.functions) }
  }

  /// A library whose calls can fail.
  static func library() throws -> OpenCLLibrary {
    var table = try #require(real).functions
    setMaking(&table)
    setAsking(&table)
    setReleasing(&table)
    setRunning(&table)
    return OpenCLLibrary(functions: table)
  }

  private static func setMaking(_ table: inout COpenCLFunctions) {
    table.clCreateContext = { a, b, c, d, e, status in
      FaultyOpenCL.make("clCreateContext", status) { $0.clCreateContext(a, b, c, d, e, status) }
    }
    table.clCreateCommandQueue = { a, b, c, status in
      FaultyOpenCL.make("clCreateCommandQueue", status) { $0.clCreateCommandQueue(a, b, c, status) }
    }
    table.clCreateBuffer = { a, b, c, d, status in
      FaultyOpenCL.make("clCreateBuffer", status) { $0.clCreateBuffer(a, b, c, d, status) }
    }
    table.clCreateProgramWithSource = { a, b, c, d, status in
      FaultyOpenCL.make("clCreateProgramWithSource", status) { $0.clCreateProgramWithSource(a, b, c, d, status) }
    }
    table.clCreateProgramWithBinary = { a, b, c, d, e, f, status in
      FaultyOpenCL.make("clCreateProgramWithBinary", status) { $0.clCreateProgramWithBinary(a, b, c, d, e, f, status) }
    }
    table.clCreateKernel = { a, b, status in
      FaultyOpenCL.make("clCreateKernel", status) { $0.clCreateKernel(a, b, status) }
    }
  }

  private static func setAsking(_ table: inout COpenCLFunctions) {
    table.clGetPlatformIDs = { a, b, c in FaultyOpenCL.call("clGetPlatformIDs") { $0.clGetPlatformIDs(a, b, c) } }
    table.clGetPlatformInfo = { a, b, c, d, e in
      FaultyOpenCL.call("clGetPlatformInfo") { $0.clGetPlatformInfo(a, b, c, d, e) }
    }
    table.clGetDeviceIDs = { a, b, c, d, e in FaultyOpenCL.call("clGetDeviceIDs") { $0.clGetDeviceIDs(a, b, c, d, e) } }
    table.clGetDeviceInfo = { a, b, c, d, e in
      FaultyOpenCL.call("clGetDeviceInfo") { $0.clGetDeviceInfo(a, b, c, d, e) }
    }
    table.clGetProgramInfo = { a, b, c, d, e in
      FaultyOpenCL.call("clGetProgramInfo") { $0.clGetProgramInfo(a, b, c, d, e) }
    }
    table.clGetProgramBuildInfo = { a, b, c, d, e, f in
      FaultyOpenCL.call("clGetProgramBuildInfo") { $0.clGetProgramBuildInfo(a, b, c, d, e, f) }
    }
    table.clGetKernelWorkGroupInfo = { a, b, c, d, e, f in
      FaultyOpenCL.call("clGetKernelWorkGroupInfo") { $0.clGetKernelWorkGroupInfo(a, b, c, d, e, f) }
    }
    table.clGetEventInfo = { a, b, c, d, e in FaultyOpenCL.call("clGetEventInfo") { $0.clGetEventInfo(a, b, c, d, e) } }
    table.clGetEventProfilingInfo = { a, b, c, d, e in
      FaultyOpenCL.call("clGetEventProfilingInfo") { $0.clGetEventProfilingInfo(a, b, c, d, e) }
    }
  }

  private static func setReleasing(_ table: inout COpenCLFunctions) {
    table.clReleaseContext = { a in FaultyOpenCL.release("clReleaseContext") { $0.clReleaseContext(a) } }
    table.clReleaseCommandQueue = { a in FaultyOpenCL.release("clReleaseCommandQueue") { $0.clReleaseCommandQueue(a) } }
    table.clReleaseMemObject = { a in FaultyOpenCL.release("clReleaseMemObject") { $0.clReleaseMemObject(a) } }
    table.clReleaseProgram = { a in FaultyOpenCL.release("clReleaseProgram") { $0.clReleaseProgram(a) } }
    table.clReleaseKernel = { a in FaultyOpenCL.release("clReleaseKernel") { $0.clReleaseKernel(a) } }
    table.clReleaseEvent = { a in FaultyOpenCL.release("clReleaseEvent") { $0.clReleaseEvent(a) } }
  }

  private static func setRunning(_ table: inout COpenCLFunctions) {
    table.clBuildProgram = { a, b, c, d, e, f in
      FaultyOpenCL.call("clBuildProgram") { $0.clBuildProgram(a, b, c, d, e, f) }
    }
    table.clSetKernelArg = { a, b, c, d in FaultyOpenCL.call("clSetKernelArg") { $0.clSetKernelArg(a, b, c, d) } }
    table.clEnqueueNDRangeKernel = { a, b, c, d, e, f, g, h, i in
      FaultyOpenCL.call("clEnqueueNDRangeKernel") { $0.clEnqueueNDRangeKernel(a, b, c, d, e, f, g, h, i) }
    }
    table.clEnqueueReadBuffer = { a, b, c, d, e, f, g, h, i in
      FaultyOpenCL.call("clEnqueueReadBuffer") { $0.clEnqueueReadBuffer(a, b, c, d, e, f, g, h, i) }
    }
    table.clEnqueueWriteBuffer = { a, b, c, d, e, f, g, h, i in
      FaultyOpenCL.call("clEnqueueWriteBuffer") { $0.clEnqueueWriteBuffer(a, b, c, d, e, f, g, h, i) }
    }
    table.clEnqueueCopyBuffer = { a, b, c, d, e, f, g, h, i in
      FaultyOpenCL.call("clEnqueueCopyBuffer") { $0.clEnqueueCopyBuffer(a, b, c, d, e, f, g, h, i) }
    }
    table.clEnqueueFillBuffer = { a, b, c, d, e, f, g, h, i in
      FaultyOpenCL.call("clEnqueueFillBuffer") { $0.clEnqueueFillBuffer(a, b, c, d, e, f, g, h, i) }
    }
    table.clWaitForEvents = { a, b in FaultyOpenCL.call("clWaitForEvents") { $0.clWaitForEvents(a, b) } }
    table.clFlush = { a in FaultyOpenCL.call("clFlush") { $0.clFlush(a) } }
    // The commands have ended in any case, because a caller that sees a failed wait frees their memory.
    table.clFinish = { a in FaultyOpenCL.release("clFinish") { $0.clFinish(a) } }
  }
}
