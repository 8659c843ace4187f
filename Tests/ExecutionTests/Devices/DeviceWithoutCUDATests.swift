import COpenCL
import Glibc
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels

/// An NVIDIA device that the CUDA driver does not have, or whose programs it does not load, goes through OpenCL alone.
/// One line of the log says so.
@Suite(
  .enabled(
    if: OpenCLPlatformList.system.devices.first.map { $0.vendorID != 0x10DE } ?? false,
    "there is no OpenCL device of another vendor than NVIDIA"))
struct DeviceWithoutCUDATests {
  /// The machine's first device under NVIDIA's name. CUDA does not have it.
  private static func list() throws -> OpenCLPlatformList {
    var table = try #require(FaultyOpenCL.real).functions
    table.clGetPlatformInfo = { platform, name, capacity, bytes, size in
      guard name == cl_platform_info(CL_PLATFORM_NAME) else {
        return FaultyOpenCL.real?.functions.clGetPlatformInfo(platform, name, capacity, bytes, size)
          ?? CL_INVALID_PLATFORM
      }
      let text = "NVIDIA CUDA"
      size?.pointee = text.utf8.count + 1
      if let bytes { text.withCString { _ = memcpy(bytes, $0, min(capacity, text.utf8.count + 1)) } }
      return CL_SUCCESS
    }
    let list = OpenCLPlatformList(OpenCLLibrary(functions: table, allowsCUDA: true))
    return OpenCLPlatformList(devices: Array(list.devices.prefix(1)), problems: [], hasLibrary: true)
  }

  @Test func oneLineSaysWhy() throws {
    let log = DeviceFailureTests.Log()
    let list = try Self.list()
    let device = try #require(list.devices.first)
    let deviceManager = DeviceFailureTests.deviceManager(list, log: log)
    for _ in 0..<3 {
      let context = try deviceManager.context(of: device)
      #expect(!context.device.usesCUDA)
      let memory = try context.makeBuffer(copying: [Float](arrayLiteral: 1, 2)).memory
      var values: [Float] = [0, 0]
      try values.withUnsafeMutableBytes { try context.makeQueue().read(memory, into: $0) }
      #expect(values == [1, 2])
    }
    #expect(log.all.count == 1)
    let line = try #require(log.all.first)
    #expect(line.hasPrefix("\(device.id) (\(device.name)) goes through OpenCL alone, because the CUDA driver failed: "))
    #expect(!line.contains("\n"))
  }
}
