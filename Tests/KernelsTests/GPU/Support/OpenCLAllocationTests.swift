import AllocationCount
import COpenCL
import MIL
import TestSupport
import Testing

@testable import CoreMLKernels

/// Running a plan allocates no memory: enqueueing a prepared OpenCL kernel allocates none in this runtime. Drivers
/// allocate some, so enqueue calls are stubs here. All other calls go to the device.
@MainActor
@Suite(
  .tags(.driver), .unlessQuick, .needsOpenCL, .enabled(if: AllocationCount.isOn, "a sanitizer has its own allocator"))
struct OpenCLAllocationTests {
  @Test func theCountIsNotBlind() {
    var kept: [Int] = []
    #expect(AllocationCount.count { kept.append(1) } == 1)
    #expect(AllocationCount.count { kept[0] += 1 } == 0)
  }

  /// Every type of launch: products, elementwise, axes, data movement, indices and tables.
  @Test func rowsAreRunWithoutMemory() throws {
    let operations: Set = [
      "fused.conv", "fused.linear", "conv_transpose", "matmul", "max_pool", "add", "relu", "select", "cast", "softmax",
      "reduce_sum", "reduce_argmax", "layer_norm", "batch_norm", "l2_norm", "concat", "split", "transpose", "pad",
      "fill",
      "gather", "gather_nd", "resize", "reshape", "fused.attention", "fused.rms_norm", "cumsum", "prelu", "logical_not",
    ]
    let context = try quietContext()
    let queue = try context.makeQueue()
    var run: Set<String> = []
    for test in try Case.all() where operations.contains(test.operation) && test.refused == nil {
      let names = KernelRegistry.implementations(for: test.operation, on: .openCL).map(\.name)
      guard names.contains(where: { !run.contains("\(test.operation)/\($0)") }) else { continue }
      let problem = try problem(test, context)
      for row in KernelRegistry.implementations(for: test.operation, on: .openCL) {
        let name = "\(test.operation)/\(row.name)"
        guard !run.contains(name), let candidate = try? row.match(problem),
          case .openCL(let kernel) = try candidate.prepare(Preparation(weights: WeightStore()))
        else {
          continue
        }
        let frame = OpenCLFrame(
          queue: queue, inputs: try problem.operands.map { try memory($0.type, context) },
          outputs: try problem.outputs.map { try memory($0, context) },
          scratch: candidate.scratchBytes > 0 ? try memory(TensorType(.uint8, [candidate.scratchBytes]), context) : nil)
        // The first run creates what is created only once.
        try kernel(frame)
        let count = try AllocationCount.count {
          for _ in 0..<10 { try kernel(frame) }
        }
        #expect(count == 0, "\(test.name): \(row.name) takes memory \(count) times in ten runs")
        run.insert(name)
      }
    }
    // Kernels for weights stored in fp16 or quantized need a model file. fp16 launches equal fp32 launches with another
    // program. Warp-level kernels need a device that supports them.
    let elsewhere = [".f16", ".stored"] + (context.features.hasWarpFloats ? [] : [".tf32"])
    let missing = operations.flatMap { operation in
      KernelRegistry.implementations(for: operation, on: .openCL).filter { row in
        !row.name.contains(".wgmma.") && !elsewhere.contains { row.name.hasSuffix($0) }
      }
      .map { "\(operation)/\($0.name)" }.filter { !run.contains($0) }
    }
    #expect(missing.isEmpty, "rows that no case ran: \(missing.sorted())")
  }

  @Test func finishingTakesNoMemory() throws {
    let queue = try quietContext().makeQueue()
    try queue.finish()
    #expect(try AllocationCount.count { try queue.finish() } == 0)
  }

  /// The tests' device with stubs for enqueueing and waiting.
  private func quietContext() throws -> OpenCLContext {
    let device = try #require(OpenCLHarness.device)
    var functions = device.library.functions
    var platform: cl_platform_id?
    let size = MemoryLayout<cl_platform_id>.size
    #expect(functions.clGetDeviceInfo(device.handle, cl_device_info(CL_DEVICE_PLATFORM), size, &platform, nil) == 0)
    functions.clSetKernelArg = { _, _, _, _ in 0 }
    functions.clEnqueueNDRangeKernel = { _, _, _, _, _, _, _, _, _ in 0 }
    functions.clEnqueueCopyBuffer = { _, _, _, _, _, _, _, _, _ in 0 }
    functions.clFinish = { _ in 0 }
    let quiet = try OpenCLDevice(
      device.handle, platform: #require(platform), id: device.id, library: OpenCLLibrary(functions: functions))
    return try OpenCLContext(quiet)
  }

  private func problem(_ test: Case, _ context: OpenCLContext) throws -> KernelProblem {
    let operation = Operation(
      test.operation, inputs: test.inputs.mapValues { $0.map { .literal($0.value) } },
      outputs: [NamedType("y", .tensor(TensorType(.float32, [Int]())))])
    let types = test.inputs.mapValues { $0.map(\.value.type) }
    let full = Invocation(
      operation: operation, inputTypes: types, values: test.inputs.mapValues { $0.map { $0.value } })
    let outputs = try Operations.definition(of: operation).outputTypes(full).compactMap(\.tensor)
    let planned = Invocation(
      operation: operation, inputTypes: types,
      values: test.inputs.mapValues { $0.map { $0.isConstant ? $0.value : nil } })
    return KernelProblem(invocation: planned, outputs: outputs, threads: 1, openCL: context)
  }

  private func memory(_ type: TensorType, _ context: OpenCLContext) throws -> OpenCLMemory {
    let count = type.byteCount ?? 0
    return try context.makeBuffer(byteCount: max(count, 64)).memory(byteOffset: 0, byteCount: count)
  }
}
