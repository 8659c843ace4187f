import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CoreMLKernels

/// Finding devices, and memory and errors on a device.
@MainActor @Suite(.tags(.driver), .unlessQuick) struct OpenCLDeviceTests {
  @Test func anAbsentLibraryIsNoDeviceAndAReason() {
    let list = OpenCLPlatformList(libraryPath: "libOpenCL-that-does-not-exist.so")
    #expect(list.devices.isEmpty)
    #expect(list.problems.map(\.code) == [.openCLUnavailable])
    #expect(list.problems.first?.message.contains("libOpenCL-that-does-not-exist.so") == true)
  }

  @Test func aLibraryThatIsNotOpenCLIsNoDeviceAndAReason() {
    let list = OpenCLPlatformList(libraryPath: "libm.so.6")
    #expect(list.devices.isEmpty)
    #expect(list.problems.first?.message.contains("clGetPlatformIDs") == true)
  }

  /// A library whose only platform answers queries about itself and then aborts, as PoCL does without /sys.
  @Test(.tags(.process)) func aDriverThatEndsTheProcessIsNoDeviceAndAReason() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "opencl-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let others = [
      "clGetDeviceInfo", "clCreateContext", "clReleaseContext", "clCreateCommandQueue", "clReleaseCommandQueue",
      "clCreateBuffer", "clReleaseMemObject", "clCreateProgramWithSource", "clCreateProgramWithBinary",
      "clBuildProgram", "clGetProgramInfo", "clGetProgramBuildInfo", "clReleaseProgram", "clCreateKernel",
      "clGetKernelWorkGroupInfo", "clSetKernelArg", "clReleaseKernel", "clEnqueueNDRangeKernel",
      "clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueCopyBuffer", "clEnqueueFillBuffer", "clGetEventInfo",
      "clGetEventProfilingInfo", "clWaitForEvents", "clReleaseEvent", "clFlush", "clFinish", "clGetPlatformInfo",
    ]
    let source = """
      extern void abort(void);
      int clGetPlatformIDs(unsigned capacity, void **platforms, unsigned *count) {
        if (platforms && capacity > 0) platforms[0] = &abort;
        if (count) *count = 1;
        return 0;
      }
      int clGetDeviceIDs(void) { abort(); }
      \(others.map { "int \($0)(void) { return -30; }" }.joined(separator: "\n"))
      """
    let library = folder.appending(path: "libBroken.so")
    try Data(source.utf8).write(to: folder.appending(path: "broken.c"))
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = ["clang", "-shared", "-fPIC", "-o", library.path, folder.appending(path: "broken.c").path]
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
    let list = OpenCLPlatformList(libraryPath: library.path)
    #expect(list.devices.isEmpty)
    #expect(list.problems.map(\.code) == [.openCLUnavailable])
    #expect(list.problems.first?.message.contains("signal 6") == true)
    // The cache only keeps successful results.
    let cache = folder.appending(path: "cache").path
    for _ in 0..<2 {
      #expect(OpenCLPlatformList(libraryPath: library.path, cacheDirectory: cache).problems.count == 1)
    }
    #expect(!FileManager.default.fileExists(atPath: cache))
  }

  @Test(.needsOpenCL) func aDeviceTellsWhatKernelsAreChosenBy() throws {
    let device = try #require(OpenCLHarness.device)
    #expect(device.id.hasPrefix("opencl:"))
    #expect(OpenCLPlatformList.system.device(device.id) === device)
    #expect(!device.name.isEmpty && !device.driverVersion.isEmpty)
    #expect(device.computeUnits > 0 && device.memoryBytes > 0 && device.maxAllocationBytes > 0)
    #expect(device.maxWorkGroupSize >= 1 && device.maxWorkItemSizes.count == 3)
    #expect(device.localMemoryBytes >= 16 << 10)
  }

  /// Several threads that query first and concurrently, in a process whose drivers are not initialized yet.
  @Test(.needsOpenCL) func threadsThatAskFirstFindTheSameDevices() async {
    await #expect(processExitsWith: .success) {
      let counts = Mutex<[Int]>([])
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        let list = OpenCLPlatformList(libraryPath: "libOpenCL.so.1")
        counts.withLock { $0.append(list.problems.isEmpty ? list.devices.count : -1) }
      }
      let found = Set(counts.withLock { $0 })
      exit(found.count == 1 && found.allSatisfy { $0 > 0 } ? 0 : 1)
    }
  }

  @Test(.needsOpenCL) func featuresAreProbedOnce() throws {
    let context = try OpenCLContext(#require(OpenCLHarness.device))
    let features = context.features
    #expect(features == context.features)
    if OpenCLHarness.device?.kind == .cpu { #expect(!features.inlinePTX && !features.tensorCores) }
  }

  @Test(.needsOpenCL) func memoryIsCopiedBothWaysAndBetween() throws {
    let context = try OpenCLHarness.context()
    let queue = try context.makeQueue()
    let values = OpenCLHarness.numbers(100)
    let arena = try context.makeBuffer(byteCount: 1000)
    let first = try arena.memory(byteOffset: 0, byteCount: 400)
    let second = try arena.memory(byteOffset: 500, byteCount: 400)
    try values.withUnsafeBytes { try queue.write($0, to: first) }
    try queue.copy(first, to: second)
    #expect(try OpenCLHarness.download(second, as: Float(0), on: queue) == values)
    try queue.zero(second)
    #expect(try OpenCLHarness.download(second, as: Float(1), on: queue) == [Float](repeating: 0, count: 100))
    #expect(try OpenCLHarness.download(first, as: Float(0), on: queue) == values)
  }

  @Test(.needsOpenCL) func rangesOutsideOfABufferAreErrors() throws {
    let buffer = try OpenCLHarness.context().makeBuffer(byteCount: 100)
    #expect(throws: KernelError.self) { try buffer.memory(byteOffset: 90, byteCount: 11) }
    #expect(throws: KernelError.self) { try buffer.memory(byteOffset: -1, byteCount: 1) }
    #expect(throws: KernelError.self) { try buffer.memory(byteOffset: 1, byteCount: .max) }
    #expect(try buffer.memory(byteOffset: 100, byteCount: 0).byteCount == 0)
    let part = try buffer.memory(byteOffset: 50, byteCount: 10)
    #expect(throws: KernelError.self) { try part.range(byteOffset: 5, byteCount: 6) }
  }

  @Test(.needsOpenCL) func aBufferPastTheDevicesLimitIsAnError() throws {
    let context = try OpenCLHarness.context()
    let error = #expect(throws: KernelError.self) {
      try context.makeBuffer(byteCount: context.device.maxAllocationBytes + 1)
    }
    #expect(error?.code == .openCLMemory)
    #expect(throws: KernelError.self) { try context.makeBuffer(byteCount: -1) }
  }

  @Test(.needsOpenCL) func aSourceThatDoesNotCompileTellsTheCompilersWords() throws {
    let context = try OpenCLHarness.context()
    let error = #expect(throws: KernelError.self) {
      try context.kernel("unary", of: .embedded("unary"), ["FUNCTION": "op_that_does_not_exist"])
    }
    #expect(error?.code == .openCLBuild)
    #expect(error?.message.contains("op_that_does_not_exist") == true)
    #expect(error?.message.contains("CL_BUILD_PROGRAM_FAILURE") == true)
    #expect(throws: KernelError.self) { try context.kernel("unary", of: .embedded("no-such-source")) }
    let absent = #expect(throws: KernelError.self) { try context.kernel("absent", of: .embedded("unary")) }
    #expect(absent?.message.contains("CL_INVALID_KERNEL_NAME") == true)
  }

  @Test(.needsOpenCL) func aGeneratedSourceIsBuiltAndCachedAsEmbeddedOnesAre() throws {
    let context = try OpenCLHarness.context()
    let text = "kernel void twice(global float *y, ulong y0) { y[y0 + get_global_id(0)] *= 2.0f; }\n"
    let kernel = try context.kernel("twice", of: .generated(text, for: "fused.twice 'y'"))
    let launch = try kernel.launch([.floats("y", 3)], global: [3], local: [1])
    let queue = try context.makeQueue()
    let memory = try OpenCLHarness.upload([Float](arrayLiteral: 1, 2, 3))
    try launch.enqueue(on: queue, memory)
    try queue.finish()
    #expect(try OpenCLHarness.download(memory, as: Float(0), on: queue) == [2, 4, 6])
    // Programs are shared by their text, whatever operation they are for.
    let again = try context.kernel("twice", of: .generated(text, for: "another"))
    #expect(again.program === kernel.program)
    let other = try context.kernel("twice", of: .generated(text + "\n", for: "fused.twice 'y'"))
    #expect(other.program !== kernel.program)
  }

  @Test(.needsOpenCL) func aGeneratedSourceThatDoesNotCompileNamesItsOperation() throws {
    let context = try OpenCLHarness.context()
    let error = #expect(throws: KernelError.self) {
      try context.kernel("f", of: .generated("kernel void f() { no_such_function(); }\n\n", for: "fused.conv 'y'"))
    }
    #expect(error?.code == .openCLBuild)
    #expect(error?.message.contains("fused.conv 'y'") == true)
    #expect(error?.message.contains("\n") == false, "one line of the log")
  }

  @Test(.needsOpenCL) func launchesThatCannotBeAreErrors() throws {
    let context = try OpenCLHarness.context()
    let queue = try context.makeQueue()
    let kernel = try context.kernel("unary", of: .embedded("unary"))
    let tooLarge = context.device.maxWorkGroupSize + 1
    #expect(throws: KernelError.self) { try kernel.launch([], global: [1], local: [tooLarge]) }
    #expect(throws: KernelError.self) { try kernel.launch([], global: [1, 1], local: [1]) }
    let error = #expect(throws: KernelError.self) { try kernel.launch([.float(0)], global: [1], local: [1]) }
    #expect(error?.message.contains("unary") == true)
    let launch = try kernel.launch(
      [.floats("x", 1), .floats("y", 1), .int(1), .float(0), .float(0)], global: [1], local: [1])
    let whole = try context.makeBuffer(byteCount: 16).memory
    let askew = try whole.range(byteOffset: 2, byteCount: 4)
    #expect(throws: KernelError.self) { try launch.enqueue(on: queue, askew, whole) }
    #expect(throws: KernelError.self) { try launch.enqueue(on: queue, whole) }
    #expect(throws: KernelError.self) { try launch.enqueue(on: queue, whole, whole, whole) }
    #expect(throws: KernelError.self) { try launch.enqueue(on: queue, whole, whole.range(byteOffset: 0, byteCount: 3)) }
  }

  /// Not with Oclgrind, which accepts calls from one thread only.
  @Test(.needsOpenCL, .enabled(if: OpenCLHarness.device?.platformName != "Oclgrind", "the simulator has one thread"))
  func kernelsAreSharedByThreads() async throws {
    let context = try OpenCLHarness.context()
    let unary = try CLUnary(context, CLFunction("linear_activation", alpha: 2, beta: 1), count: 1000)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for task in 0..<4 {
        group.addTask {
          let queue = try context.makeQueue()
          let values = OpenCLHarness.numbers(1000, seed: UInt64(task + 1))
          let (x, y) = (try context.makeBuffer(copying: values).memory, try context.makeBuffer(byteCount: 4000).memory)
          var isRight = true
          for _ in 0..<20 {
            try unary.enqueue(on: queue, x: x, y: y)
            // Each task compiles or finds the same program.
            _ = try context.kernel("unary", of: .embedded("unary"), ["FUNCTION": "op_abs"])
            isRight = try isRight && OpenCLHarness.download(y, as: 0, on: queue) == values.map { $0 * 2 + 1 }
          }
          try queue.finish()
          return isRight
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  @Test(.needsOpenCL) func aProfilingQueueTellsTimes() throws {
    let context = try OpenCLHarness.context()
    let queue = try context.makeQueue(profiling: true)
    let memory = try context.makeBuffer(byteCount: 4000).memory
    try CLFill(context, elementSize: 4, count: 1000, bits: 0).enqueue(on: queue, y: memory)
    try queue.finish()
    let times = try queue.timings()
    #expect(times.map(\.kernel) == ["fill"])
    #expect(times.allSatisfy { $0.seconds >= 0 && $0.seconds < 60 })
    #expect(try queue.timings().isEmpty)
  }
}
