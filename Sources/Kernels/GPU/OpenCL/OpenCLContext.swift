import COpenCL
import Synchronization

/// One open device. It owns the device's memory, programs and queues. All sessions of a device share it.
package final class OpenCLContext: @unchecked Sendable {
  /// The opened device. An NVIDIA device goes through the CUDA driver if a probe program works there.
  package let device: OpenCLDevice
  /// Why an NVIDIA device does not go through the CUDA driver, in one line. Nil if it does, or if it was not asked to.
  package let cudaFault: String?
  var handle: cl_context { owned.handle }
  private let owned: Owned
  private let cache: FileCache
  private let state = Mutex(State())
  /// Set when the device has stopped answering.
  let isHung = Atomic(false)

  private struct State {
    var programs: [String: OpenCLProgram] = [:]
    var features: OpenCLFeatures?
  }

  /// Opens `device`. Compiled programs are kept in the directory `cacheDirectory`, which is created when needed. With
  /// `nil`, or if the directory cannot be used, nothing is kept.
  package convenience init(_ device: OpenCLDevice, cacheDirectory: String? = nil) throws(KernelError) {
    try self.init(device, cacheDirectory: cacheDirectory, features: nil)
  }

  /// With these features instead of the ones that probing finds.
  convenience init(
    _ device: OpenCLDevice, cacheDirectory: String? = nil, features: OpenCLFeatures?
  ) throws(KernelError) {
    let cache = FileCache(directory: cacheDirectory)
    let (owned, fault) = try Self.opened(device, cache)
    self.init(owned, cache, cudaFault: fault, features: features)
  }

  private init(_ owned: Owned, _ cache: FileCache, cudaFault: String? = nil, features: OpenCLFeatures? = nil) {
    device = owned.device
    self.owned = owned
    self.cache = cache
    self.cudaFault = cudaFault
    state.withLock { $0.features = features }
  }

  /// The driver's context, released with its last owner.
  private final class Owned: @unchecked Sendable {
    let device: OpenCLDevice
    let handle: cl_context

    init(_ device: OpenCLDevice) throws(KernelError) {
      self.device = device
      var status: cl_int = 0
      var identifier: cl_device_id? = device.handle
      let context = device.library.functions.clCreateContext(nil, 1, &identifier, nil, nil, &status)
      try OpenCLStatus.check(status, "clCreateContext", device.id)
      guard let context else { throw KernelError(.openCLCall, "\(device.id): clCreateContext gave no context") }
      handle = context
    }

    deinit { _ = device.library.functions.clReleaseContext(handle) }
  }

  /// The CUDA driver loads text that OpenCL's compiler wrote and post-processing changed. A new driver may write a text
  /// that post-processing does not understand. So one program is tried before the driver is relied on. If it fails, the
  /// device goes through OpenCL alone, and the second value says why.
  private static func opened(_ device: OpenCLDevice, _ cache: FileCache) throws(KernelError) -> (Owned, String?) {
    guard device.mayUseCUDA else { return (try Owned(device), nil) }
    do {
      let owned = try Owned(device.throughCUDA())
      try OpenCLProbe.run("probe_launch", on: OpenCLContext(owned, cache))
      return (owned, nil)
    } catch {
      // An error of a program has the compiler's log, which may be long.
      let words = "\(error)".split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return (try Owned(device), String(words.prefix(600)))
    }
  }

  var functions: COpenCLFunctions { device.library.functions }

  /// A queue that runs its commands in order. `patience` is how many seconds the device may show no progress. Throws
  /// for a device that has stopped answering.
  package func makeQueue(profiling: Bool = false, patience: Double? = nil) throws(KernelError) -> OpenCLQueue {
    try requireAlive()
    return try OpenCLQueue(self, profiling: profiling, patience: patience)
  }

  /// Throws once the device has stopped answering, because further calls to it may block forever.
  package func requireAlive() throws(KernelError) {
    guard isHung.load(ordering: .relaxed) else { return }
    throw KernelError(.openCLHung, "\(device.id) (\(device.name)) has stopped answering and is not used any more")
  }

  /// Device memory with undefined content.
  package func makeBuffer(byteCount: Int) throws(KernelError) -> OpenCLBuffer {
    try OpenCLBuffer(self, byteCount: byteCount, content: nil)
  }

  /// Device memory that starts as a copy of `content`.
  package func makeBuffer(copying content: UnsafeRawBufferPointer) throws(KernelError) -> OpenCLBuffer {
    try OpenCLBuffer(self, byteCount: content.count, content: content.baseAddress)
  }

  /// Device memory that starts as a copy of `values`.
  package func makeBuffer<T: BitwiseCopyable>(copying values: [T]) throws(KernelError) -> OpenCLBuffer {
    try values.withUnsafeBufferPointer { (list) throws(KernelError) in
      try makeBuffer(copying: UnsafeRawBufferPointer(list))
    }
  }

  // MARK: programs

  /// The program of a source with these definitions, compiled once for each context. The disk cache is used if it has a
  /// binary for exactly this text, device and driver.
  func program(_ source: OpenCLSource, _ definitions: [String: String] = [:]) throws(KernelError) -> OpenCLProgram {
    let key = OpenCLProgram.Key(source: source, definitions: definitions)
    if let known = state.withLock({ $0.programs[key.text] }) { return known }
    // Compiled outside of the lock, so that several threads can prepare kernels. The first result is kept.
    let program = try OpenCLProgram(self, key, cache)
    return state.withLock { state in
      if let known = state.programs[key.text] { return known }
      state.programs[key.text] = program
      return program
    }
  }

  /// A kernel of a source.
  package func kernel(
    _ name: String, of source: OpenCLSource, _ definitions: [String: String] = [:]
  ) throws(KernelError) -> OpenCLKernel {
    try OpenCLKernel(program(source, definitions), name: name)
  }

  /// Writes programs to the cache that were compiled here and have run since. A queue's `finish` calls it, because some
  /// drivers specialize a kernel when it is first enqueued. Only a binary saved after that avoids this work.
  func saveRunPrograms() {
    guard cache.isEnabled else { return }
    // Avoids allocation if there is nothing to save, as after every run but the first.
    let programs = state.withLock { $0.programs.values.filter(\.isToBeSaved) }
    for program in programs { program.saveIfRun(to: cache) }
  }

  /// What this device's compiler supports beyond OpenCL C 1.2. Small programs are compiled and run once to find out.
  package var features: OpenCLFeatures {
    if let known = state.withLock({ $0.features }) { return known }
    let found = OpenCLFeatures(probing: self)
    state.withLock { $0.features = found }
    return found
  }
}
