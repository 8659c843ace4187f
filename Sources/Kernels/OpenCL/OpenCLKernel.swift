import COpenCL
import Synchronization

/// One argument of a kernel.
public enum OpenCLArgument: Sendable {
  /// A pointer to the buffer and, as the next argument, the range's start in elements of so many bytes (`ulong`).
  case tensor(OpenCLMemory, elementSize: Int)
  /// A pointer to the buffer alone.
  case whole(OpenCLBuffer)
  case int(Int32)
  case long(Int64)
  case float(Float)
  /// A struct of integers, passed by value.
  case ints([Int32])
  case longs([Int64])
  /// The queue's fault word (`__global int *`).
  case faults

  /// A tensor of single-precision numbers.
  public static func floats(_ memory: OpenCLMemory) -> OpenCLArgument { .tensor(memory, elementSize: 4) }
}

/// A kernel ready to be enqueued from any thread: arguments belong to one call.
public final class OpenCLKernel: @unchecked Sendable {
  public let name: String
  public let device: OpenCLDevice
  /// Work-items in one work-group of this kernel, at most.
  public let maxWorkGroupSize: Int
  private let program: OpenCLProgram
  private let handle: cl_kernel
  // Setting arguments and enqueueing are one step: a cl_kernel holds one set of arguments.
  private let lock = Mutex(())

  init(_ program: OpenCLProgram, name: String) throws(KernelError) {
    self.name = name
    self.program = program
    device = program.device
    let place = "kernel '\(name)' of \(program.key.source).cl on \(device.id) (\(device.name))"
    let functions = device.library.functions
    var status: cl_int = 0
    let kernel = functions.clCreateKernel(program.handle, name, &status)
    try OpenCLStatus.check(status, "clCreateKernel", place)
    guard let kernel else { throw KernelError(.openCLCall, "\(place): clCreateKernel gave no kernel") }
    handle = kernel
    var size = 0
    let parameter = cl_kernel_work_group_info(CL_KERNEL_WORK_GROUP_SIZE)
    let known = functions.clGetKernelWorkGroupInfo(kernel, device.handle, parameter, 8, &size, nil) == CL_SUCCESS
    maxWorkGroupSize = known && size > 0 ? min(size, device.maxWorkGroupSize) : device.maxWorkGroupSize
  }

  deinit { _ = device.library.functions.clReleaseKernel(handle) }

  var isFromCache: Bool { program.isFromCache }

  /// Enqueues the kernel for `global` work-items a dimension (one to three), rounded up to whole work-groups of `local`:
  /// kernels guard against the surplus. Nothing is enqueued when there is no work.
  public func enqueue(
    on queue: OpenCLQueue, _ arguments: [OpenCLArgument], global: [Int], local: [Int]
  ) throws(KernelError) {
    guard global.count == local.count, (1...3).contains(global.count) else {
      throw KernelError(.openCLLaunch, "\(place): \(global.count) global and \(local.count) local sizes")
    }
    if global.contains(0) { return }
    var rounded = global
    var groupSize = 1
    for index in global.indices {
      let item = local[index]
      let limit = index < device.maxWorkItemSizes.count ? device.maxWorkItemSizes[index] : 1
      guard item > 0, item <= limit, global[index] > 0, global[index] <= Int.max - item else {
        throw KernelError(.openCLLaunch, "\(place): sizes \(global) in groups of \(local)")
      }
      rounded[index] = (global[index] + item - 1) / item * item
      groupSize *= item
    }
    guard groupSize <= maxWorkGroupSize else {
      throw KernelError(.openCLLaunch, "\(place): a group of \(local), the device takes \(maxWorkGroupSize) work-items")
    }
    try lock.withLock { (_) throws(KernelError) in
      try set(arguments, queue)
      try launch(queue, rounded, local)
    }
    program.markRun()
  }

  private var place: String { "kernel '\(name)' of \(program.key.source).cl on \(device.id) (\(device.name))" }

  private func launch(_ queue: OpenCLQueue, _ global: [Int], _ local: [Int]) throws(KernelError) {
    var event: cl_event?
    let status = withUnsafeMutablePointer(to: &event) { event in
      device.library.functions.clEnqueueNDRangeKernel(
        queue.handle, handle, cl_uint(global.count), nil, global, local, 0, nil, queue.isProfiling ? event : nil)
    }
    try OpenCLStatus.check(status, "clEnqueueNDRangeKernel over \(global) in groups of \(local)", place)
    if let event { queue.record(name, event) }
  }

  private func set(_ arguments: [OpenCLArgument], _ queue: OpenCLQueue) throws(KernelError) {
    var index: cl_uint = 0
    func put(_ bytes: UnsafeRawBufferPointer) throws(KernelError) {
      let status = device.library.functions.clSetKernelArg(handle, index, bytes.count, bytes.baseAddress)
      try OpenCLStatus.check(status, "clSetKernelArg \(index)", place)
      index += 1
    }
    func put<T: BitwiseCopyable>(_ value: T) throws(KernelError) {
      var value = value
      let status = device.library.functions.clSetKernelArg(handle, index, MemoryLayout<T>.size, &value)
      try OpenCLStatus.check(status, "clSetKernelArg \(index)", place)
      index += 1
    }
    func put<T: BitwiseCopyable>(_ values: [T]) throws(KernelError) {
      try values.withUnsafeBufferPointer { (list) throws(KernelError) in try put(UnsafeRawBufferPointer(list)) }
    }
    for argument in arguments {
      switch argument {
      case .tensor(let memory, let elementSize):
        guard elementSize > 0, memory.byteOffset % elementSize == 0 else {
          throw KernelError(
            .openCLLaunch, "\(place): memory at byte \(memory.byteOffset) for elements of \(elementSize) bytes")
        }
        try put(memory.buffer.handle)
        try put(UInt64(memory.byteOffset / elementSize))
      case .whole(let buffer): try put(buffer.handle)
      case .int(let value): try put(value)
      case .long(let value): try put(value)
      case .float(let value): try put(value)
      case .ints(let values): try put(values)
      case .longs(let values): try put(values)
      case .faults:
        queue.usesFaults.store(true, ordering: .releasing)
        try put(queue.faults.handle)
      }
    }
  }
}
