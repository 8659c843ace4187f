import COpenCL
import Glibc
import Synchronization

/// An in-order queue: each command sees the results of all earlier commands. Each session has one.
package final class OpenCLQueue: @unchecked Sendable {
  package let context: OpenCLContext
  package var device: OpenCLDevice { context.device }
  package let isProfiling: Bool
  /// Seconds without progress after which the device counts as hung. With nil the queue waits without limit.
  package let patience: Double?
  let handle: cl_command_queue
  /// A kernel that meets an index outside of its axis writes a nonzero word here instead of reading there.
  let faults: OpenCLBuffer
  private let timed = Mutex<[Timed]>([])
  private let progress = Mutex(OpenCLProgress())
  /// Target of the readback of commands that serve as fences.
  private let mark: UnsafeMutableRawPointer

  private struct Timed: @unchecked Sendable {
    let kernel: String
    let event: cl_event
  }

  init(_ context: OpenCLContext, profiling: Bool, patience: Double?) throws(KernelError) {
    self.context = context
    isProfiling = profiling
    self.patience = patience
    faults = try context.makeBuffer(copying: [Int32(0)])
    var status: cl_int = 0
    let flags = profiling ? cl_command_queue_properties(CL_QUEUE_PROFILING_ENABLE) : 0
    let queue = context.functions.clCreateCommandQueue(context.handle, context.device.handle, flags, &status)
    try OpenCLStatus.check(status, "clCreateCommandQueue", context.device.id)
    guard let queue else { throw KernelError(.openCLCall, "\(context.device.id): clCreateCommandQueue gave no queue") }
    handle = queue
    mark = .allocate(byteCount: 4, alignment: 4)
  }

  deinit {
    // Any call to a hung device may block forever, so its queues are leaked.
    guard !context.isHung.load(ordering: .relaxed) else {
      Self.left.withLock { $0.append(UInt(bitPattern: mark)) }
      return
    }
    // Commands may still use memory that the owner frees next.
    _ = functions.clFinish(handle)
    timed.withLock { for entry in $0 { _ = functions.clReleaseEvent(entry.event) } }
    progress.withLock { $0.clear(functions) }
    _ = functions.clReleaseCommandQueue(handle)
    mark.deallocate()
  }

  /// Memory of leaked queues: a device that recovers may still write there.
  private static let left = Mutex<[UInt]>([])

  private var functions: COpenCLFunctions { context.functions }

  // MARK: memory

  /// Copies host bytes to `memory`. Without `wait` the bytes must not change until `finish`.
  package func write(_ bytes: UnsafeRawBufferPointer, to memory: OpenCLMemory, wait: Bool = true) throws(KernelError) {
    let target = try memory.range(byteOffset: 0, byteCount: bytes.count)
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    try check(
      functions.clEnqueueWriteBuffer(
        handle, target.buffer.handle, cl_bool(wait ? 1 : 0), target.byteOffset, bytes.count, base, 0, nil, nil),
      "clEnqueueWriteBuffer")
  }

  /// Copies the first bytes of `memory` to the host. Without `wait` they are valid after `finish`.
  package func read(
    _ memory: OpenCLMemory, into bytes: UnsafeMutableRawBufferPointer, wait: Bool = true
  ) throws(KernelError) {
    let source = try memory.range(byteOffset: 0, byteCount: bytes.count)
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    try check(
      functions.clEnqueueReadBuffer(
        handle, source.buffer.handle, cl_bool(wait ? 1 : 0), source.byteOffset, bytes.count, base, 0, nil, nil),
      "clEnqueueReadBuffer")
  }

  /// Copies all of `source` to the start of `target`. The two must not overlap.
  package func copy(_ source: OpenCLMemory, to target: OpenCLMemory) throws(KernelError) {
    let target = try target.range(byteOffset: 0, byteCount: source.byteCount)
    guard source.byteCount > 0 else { return }
    try check(
      functions.clEnqueueCopyBuffer(
        handle, source.buffer.handle, target.buffer.handle, source.byteOffset, target.byteOffset, source.byteCount, 0,
        nil, nil),
      "clEnqueueCopyBuffer")
  }

  /// Fills `memory` with zero bytes.
  package func zero(_ memory: OpenCLMemory) throws(KernelError) {
    guard memory.byteCount > 0 else { return }
    var byte: UInt8 = 0
    try check(
      functions.clEnqueueFillBuffer(
        handle, memory.buffer.handle, &byte, 1, memory.byteOffset, memory.byteCount, 0, nil, nil),
      "clEnqueueFillBuffer")
  }

  // MARK: order

  /// Starts the enqueued commands without waiting.
  package func flush() throws(KernelError) { try check(functions.clFlush(handle), "clFlush") }

  /// Waits until everything enqueued so far has ended. Returns false, while commands still run, as soon as `isStopped`
  /// does.
  ///
  /// `clFinish` cannot be interrupted, so this polls the event of a fence command. It only yields in the first two
  /// milliseconds, because a sleep lasts longer than requested, which would matter for a short prediction. After that
  /// it sleeps 50 µs between polls, and from 32 ms on, 1 ms.
  ///
  /// - Throws: `.openCLHung` if the device makes no progress for longer than the queue's patience. Its context then
  ///   creates no more queues. Waiting for this queue may block the thread forever.
  package func hasEnded(unless isStopped: () -> Bool) throws(KernelError) -> Bool {
    var event: cl_event?
    try check(
      functions.clEnqueueReadBuffer(handle, faults.handle, 0, 0, 4, mark, 0, nil, &event), "clEnqueueReadBuffer")
    guard let event else { throw KernelError(.openCLCall, "\(device.id): clEnqueueReadBuffer gave no event") }
    defer { _ = functions.clReleaseEvent(event) }
    try flush()
    let begin = ContinuousClock.now
    var before = begin
    // Time without progress. Each round counts at most 100 ms, because this thread or the whole process may have been
    // suspended meanwhile.
    var idle = Duration.zero
    while true {
      var status: cl_int = 0
      try check(
        functions.clGetEventInfo(event, cl_event_info(CL_EVENT_COMMAND_EXECUTION_STATUS), 4, &status, nil),
        "clGetEventInfo")
      // A failed command has a negative error code as its status.
      guard status > 0 else {
        try check(status, "a command")
        return true
      }
      if isStopped() { return false }
      // Another queue may have found the device hung.
      try context.requireAlive()
      let now = ContinuousClock.now
      let passed = now - begin
      idle += min(now - before, .milliseconds(100))
      before = now
      if let patience, passed >= .milliseconds(32) {
        if progress.withLock({ $0.hasMoved(functions) }) { idle = .zero }
        if idle > .seconds(patience) { throw hung(patience) }
      }
      if passed < .milliseconds(2) { sched_yield() } else { usleep(passed < .milliseconds(32) ? 50 : 1000) }
    }
  }

  /// Waits for everything enqueued. Throws `.invalidInput` if a kernel met an index outside of its axis since the last
  /// call. Saves programs that ran for the first time to the cache.
  package func finish() throws(KernelError) {
    try check(functions.clFinish(handle), "clFinish")
    if patience != nil { progress.withLock { $0.clear(functions) } }
    context.saveRunPrograms()
    guard usesFaults.exchange(false, ordering: .acquiringAndReleasing) else { return }
    var fault: Int32 = 0
    try withUnsafeMutableBytes(of: &fault) { (bytes) throws(KernelError) in try read(faults.memory, into: bytes) }
    guard fault != 0 else { return }
    fault = 0
    try withUnsafeBytes(of: &fault) { (bytes) throws(KernelError) in try write(bytes, to: faults.memory) }
    throw KernelError(.invalidInput, "\(device.id): an index lies outside of the axis that it picks from")
  }

  /// Waits for everything enqueued and ignores errors, for callers that free memory that the commands use.
  package func drain() { _ = functions.clFinish(handle) }

  /// Set when a kernel that may report a fault is enqueued.
  let usesFaults = Atomic(false)

  // MARK: timing

  /// Seconds that each kernel ran on the device since the last call, in the order of enqueueing. Empty unless the queue
  /// is profiling. Call it after `finish`.
  package func timings() throws(KernelError) -> [(kernel: String, seconds: Double)] {
    let entries = timed.withLock { list in
      defer { list = [] }
      return list
    }
    defer { for entry in entries { _ = functions.clReleaseEvent(entry.event) } }
    var result: [(kernel: String, seconds: Double)] = []
    for entry in entries {
      var start: cl_ulong = 0
      var end: cl_ulong = 0
      try check(
        functions.clGetEventProfilingInfo(
          entry.event, cl_profiling_info(CL_PROFILING_COMMAND_START), 8, &start, nil), "clGetEventProfilingInfo")
      try check(
        functions.clGetEventProfilingInfo(entry.event, cl_profiling_info(CL_PROFILING_COMMAND_END), 8, &end, nil),
        "clGetEventProfilingInfo")
      result.append((entry.kernel, end > start ? Double(end - start) * 1e-9 : 0))
    }
    return result
  }

  /// Whether the next launch should record an event.
  var takesEvent: Bool { isProfiling || (patience != nil && progress.withLock { $0.isDue }) }

  func record(_ kernel: String, _ event: cl_event) {
    if isProfiling {
      timed.withLock { $0.append(Timed(kernel: kernel, event: event)) }
    } else {
      progress.withLock { $0.add(event, functions) }
    }
  }

  private func hung(_ patience: Double) -> KernelError {
    context.isHung.store(true, ordering: .relaxed)
    return KernelError(
      .openCLHung,
      "\(device.id) (\(device.name)) has made no progress for \(patience) s and counts as hung")
  }

  private func check(_ status: cl_int, _ call: @autoclosure () -> String) throws(KernelError) {
    try OpenCLStatus.check(status, call(), "\(device.id) (\(device.name))")
  }
}
