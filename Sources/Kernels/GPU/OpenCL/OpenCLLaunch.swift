import COpenCL
import Synchronization

/// An argument of a kernel, in the order of the kernel's source.
package enum OpenCLParameter: Sendable {
  /// Memory that every run passes: `count` elements of `size` bytes. The kernel takes a pointer to the buffer and, as
  /// its next parameter, the index of the first element (`ulong`).
  case memory(String, count: Int, size: Int)
  /// A buffer that is the same in every run. The kernel takes only a pointer.
  case whole(OpenCLBuffer)
  case int(Int32)
  case long(Int64)
  case float(Float)
  /// A struct of integers, passed by value.
  case ints([Int32])
  case longs([Int64])
  /// The queue's fault word (`__global int *`).
  case faults

  /// Memory of fp32 elements.
  package static func floats(_ name: String, _ count: Int) -> OpenCLParameter { .memory(name, count: count, size: 4) }
}

/// A kernel that is ready to be enqueued any number of times, from any thread. Constant arguments and sizes are set at
/// creation, and memory at each run. Enqueueing does not allocate Swift memory.
package final class OpenCLLaunch: @unchecked Sendable {
  private struct Operand {
    let name: String
    let argument: cl_uint
    let count: Int
    let size: Int
  }

  private let kernel: OpenCLKernel
  private let handle: cl_kernel
  private let operands: [Operand]
  private let faults: cl_uint?
  // Keeps the buffers alive: the `cl_kernel` has only their handles.
  private let buffers: [OpenCLBuffer]
  private let global: [Int]
  private let local: [Int]
  // Guards setting the memory arguments and enqueueing, because a `cl_kernel` holds one set of arguments.
  private let lock = Mutex(())

  fileprivate static let operandLimit = 6

  init(
    _ kernel: OpenCLKernel, _ parameters: [OpenCLParameter], global: [Int], local: [Int]
  ) throws(KernelError) {
    self.kernel = kernel
    self.global = try Self.rounded(kernel, global, local)
    self.local = local
    handle = try kernel.makeHandle()
    let arguments = ArgumentSetter(kernel, handle)
    var operands: [Operand] = []
    var buffers: [OpenCLBuffer] = []
    var faults: cl_uint?
    var index: cl_uint = 0
    // `deinit` must not run on a partly initialized object if this fails after `handle` is set.
    do throws(KernelError) {
      for parameter in parameters {
        switch parameter {
        case .memory(let name, let count, let size):
          operands.append(Operand(name: name, argument: index, count: count, size: size))
          index += 1
        case .whole(let buffer):
          buffers.append(buffer)
          try arguments.set(index, buffer.handle)
        case .int(let value): try arguments.set(index, value)
        case .long(let value): try arguments.set(index, value)
        case .float(let value): try arguments.set(index, value)
        case .ints(let values): try arguments.set(index, list: values)
        case .longs(let values): try arguments.set(index, list: values)
        case .faults: faults = index
        }
        index += 1
      }
      guard operands.count <= Self.operandLimit else {
        throw KernelError(.openCLLaunch, "\(kernel.place): \(operands.count) tensors, at most \(Self.operandLimit)")
      }
    } catch {
      _ = kernel.device.library.functions.clReleaseKernel(handle)
      throw error
    }
    (self.operands, self.buffers, self.faults) = (operands, buffers, faults)
  }

  deinit { _ = kernel.device.library.functions.clReleaseKernel(handle) }

  /// Rounds up to whole work-groups. Throws for sizes that the device or the kernel does not support.
  private static func rounded(_ kernel: OpenCLKernel, _ global: [Int], _ local: [Int]) throws(KernelError) -> [Int] {
    guard global.count == local.count, (1...3).contains(global.count) else {
      throw KernelError(.openCLLaunch, "\(kernel.place): \(global.count) global and \(local.count) local sizes")
    }
    if global.contains(0) { return global.map { _ in 0 } }
    var rounded = global
    var groupSize = 1
    let limits = kernel.device.maxWorkItemSizes
    for index in global.indices {
      let item = local[index]
      guard item > 0, item <= (index < limits.count ? limits[index] : 1), global[index] > 0,
        global[index] <= Int.max - item
      else { throw KernelError(.openCLLaunch, "\(kernel.place): sizes \(global) in groups of \(local)") }
      rounded[index] = (global[index] + item - 1) / item * item
      groupSize *= item
    }
    guard groupSize <= kernel.maxWorkGroupSize else {
      throw KernelError(
        .openCLLaunch,
        "\(kernel.place): a group of \(local), the device takes \(kernel.maxWorkGroupSize) work-items")
    }
    return rounded
  }

  /// Enqueues the kernel with memory in the order of its parameters. Enqueues nothing if there are no work-items.
  package func enqueue(
    on queue: OpenCLQueue, _ first: OpenCLMemory, _ second: OpenCLMemory? = nil, _ third: OpenCLMemory? = nil,
    _ fourth: OpenCLMemory? = nil, _ fifth: OpenCLMemory? = nil, _ sixth: OpenCLMemory? = nil
  ) throws(KernelError) {
    let given: InlineArray<6, OpenCLMemory?> = [first, second, third, fourth, fifth, sixth]
    for number in operands.indices {
      let operand = operands[number]
      guard let memory = given[number] else {
        throw KernelError(.openCLLaunch, "\(kernel.place): '\(operand.name)' is missing")
      }
      try memory.require(operand.count, of: operand.size, "\(kernel.name): \(operand.name)")
    }
    for number in operands.count..<Self.operandLimit where given[number] != nil {
      throw KernelError(.openCLLaunch, "\(kernel.place): more than \(operands.count) tensors are given")
    }
    if global[0] == 0 { return }
    let arguments = ArgumentSetter(kernel, handle)
    if faults != nil { queue.usesFaults.store(true, ordering: .releasing) }
    try lock.withLock { (_) throws(KernelError) in
      for number in operands.indices {
        guard let memory = given[number] else { continue }
        let operand = operands[number]
        try arguments.set(operand.argument, memory.buffer.handle)
        try arguments.set(operand.argument + 1, UInt64(memory.byteOffset / operand.size))
      }
      if let faults { try arguments.set(faults, queue.faults.handle) }
      try run(queue)
    }
    kernel.program.markRun()
  }

  private func run(_ queue: OpenCLQueue) throws(KernelError) {
    var event: cl_event?
    let takesEvent = queue.takesEvent
    let status = withUnsafeMutablePointer(to: &event) { event in
      kernel.device.library.functions.clEnqueueNDRangeKernel(
        queue.handle, handle, cl_uint(global.count), nil, global, local, 0, nil, takesEvent ? event : nil)
    }
    try OpenCLStatus.check(
      status, "clEnqueueNDRangeKernel over \(global) in groups of \(local)", kernel.place)
    if let event { queue.record(kernel.name, event) }
  }
}

/// `clSetKernelArg` for one kernel.
private struct ArgumentSetter {
  private let kernel: OpenCLKernel
  private let handle: cl_kernel

  init(_ kernel: OpenCLKernel, _ handle: cl_kernel) {
    self.kernel = kernel
    self.handle = handle
  }

  func set<T: BitwiseCopyable>(_ index: cl_uint, _ value: T) throws(KernelError) {
    var value = value
    let status = kernel.device.library.functions.clSetKernelArg(handle, index, MemoryLayout<T>.size, &value)
    try OpenCLStatus.check(status, "clSetKernelArg \(index)", kernel.place)
  }

  func set<T: BitwiseCopyable>(_ index: cl_uint, list: [T]) throws(KernelError) {
    let size = list.count * MemoryLayout<T>.stride
    let status = kernel.device.library.functions.clSetKernelArg(handle, index, size, list)
    try OpenCLStatus.check(status, "clSetKernelArg \(index)", kernel.place)
  }
}
