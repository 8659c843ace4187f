import COpenCL

/// Memory of one device. It is released with the last reference, and after the last command that uses it.
package final class OpenCLBuffer: @unchecked Sendable {
  package let byteCount: Int
  package var device: OpenCLDevice { context.device }
  package let context: OpenCLContext
  let handle: cl_mem

  init(_ context: OpenCLContext, byteCount: Int, content: UnsafeRawPointer?) throws(KernelError) {
    let device = context.device
    self.context = context
    self.byteCount = byteCount
    guard byteCount >= 0, byteCount <= device.maxAllocationBytes else {
      throw KernelError(
        .openCLMemory,
        "\(device.id) (\(device.name)): a buffer of \(byteCount) bytes is asked for, the device allows "
          + "\(device.maxAllocationBytes)")
    }
    var flags = cl_mem_flags(CL_MEM_READ_WRITE)
    if content != nil, byteCount > 0 { flags |= cl_mem_flags(CL_MEM_COPY_HOST_PTR) }
    var status: cl_int = 0
    // OpenCL does not support empty buffers.
    let memory = context.functions.clCreateBuffer(
      context.handle, flags, max(byteCount, 1), byteCount > 0 ? UnsafeMutableRawPointer(mutating: content) : nil,
      &status)
    try OpenCLStatus.check(status, "clCreateBuffer of \(byteCount) bytes", device.id)
    guard let memory else { throw KernelError(.openCLMemory, "\(device.id): clCreateBuffer gave no buffer") }
    handle = memory
  }

  deinit {
    // Any call to a hung device may block forever.
    guard !context.isHung.load(ordering: .relaxed) else { return }
    _ = context.functions.clReleaseMemObject(handle)
  }

  /// The whole buffer.
  package var memory: OpenCLMemory { OpenCLMemory(whole: self) }

  /// `byteCount` bytes from `byteOffset` on. Throws unless they are all inside of the buffer.
  package func memory(byteOffset: Int, byteCount: Int) throws(KernelError) -> OpenCLMemory {
    try memory.range(byteOffset: byteOffset, byteCount: byteCount)
  }
}

/// A range of a buffer, for example one tensor of an arena.
package struct OpenCLMemory: Sendable {
  package let buffer: OpenCLBuffer
  package let byteOffset: Int
  package let byteCount: Int

  fileprivate init(whole buffer: OpenCLBuffer) {
    self.buffer = buffer
    byteOffset = 0
    byteCount = buffer.byteCount
  }

  private init(_ buffer: OpenCLBuffer, _ byteOffset: Int, _ byteCount: Int) {
    self.buffer = buffer
    self.byteOffset = byteOffset
    self.byteCount = byteCount
  }

  /// A part of this range. Throws unless it is completely inside.
  package func range(byteOffset offset: Int, byteCount count: Int) throws(KernelError) -> OpenCLMemory {
    guard offset >= 0, count >= 0, offset <= byteCount, count <= byteCount - offset else {
      throw KernelError(
        .openCLLaunch,
        "\(buffer.device.id): bytes \(offset) to \(offset &+ count) are outside of a range of \(byteCount) bytes")
    }
    return OpenCLMemory(buffer, byteOffset + offset, count)
  }

  /// Throws unless the range holds `count` elements of `size` bytes and starts at a multiple of `size`.
  func require(_ count: Int, of size: Int, _ what: @autoclosure () -> String) throws(KernelError) {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
    guard !overflow, count >= 0, bytes <= byteCount else {
      throw KernelError(
        .openCLLaunch, "\(what()): \(count) elements of \(size) bytes do not fit in memory of \(byteCount) bytes")
    }
    guard byteOffset % size == 0 else {
      throw KernelError(
        .openCLLaunch, "\(what()): the memory starts at byte \(byteOffset), not at a multiple of \(size)")
    }
  }
}
