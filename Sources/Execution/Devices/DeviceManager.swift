import CoreMLBase
import CoreMLKernels
import Logging
import MIL
import Synchronization

/// Resources that all models of a process share: threads, opened devices and measurements. Models use `shared`; tests
/// create their own instance.
package final class DeviceManager: Sendable {
  package static let shared = DeviceManager()

  /// The number of processors that all predictions together may use.
  package let processors: Int
  /// The memory limit of all models together. Models may have budgets of their own within it.
  package let memory: MemoryBudget
  private let folder: @Sendable (String) -> String?
  private let platforms: @Sendable (_ withoutHost: Bool) -> OpenCLPlatformList
  private let isTakenUnasked: @Sendable (OpenCLDevice) -> Bool
  private let measure: (@Sendable (OpenCLContext) throws -> DeviceProfile)?
  private let log: @Sendable (String) -> Void

  private let pools = Mutex<[Int: WeakPool]>([:])
  private let contexts = Mutex<[String: OpenCLContext]>([:])
  private let profiles = Mutex<[String: DeviceProfile]>([:])
  private let timings = Mutex<[Int: KernelTimings]>([:])
  private let lists = Mutex<[Bool: OpenCLPlatformList]>([:])
  private let told = Mutex<Set<String>>([])

  private struct WeakPool: Sendable {
    weak var pool: ThreadPool?
  }

  /// - Parameters:
  ///   - memory: The memory that models may use.
  ///   - folder: The folder for cached data of each kind; nil disables caching.
  ///   - platforms: Lists the OpenCL devices, with or without platforms that run on the host. Called once for each.
  ///   - isTakenUnasked: Whether a device may be used without being named.
  ///   - measure: Returns the peak performance of a device; nil to measure it once and store the result on disk.
  ///   - log: Receives warnings for the operator of the process.
  package init(
    processors: Int = Processor.count,
    memory: MemoryBudget = .machine,
    folder: @escaping @Sendable (String) -> String? = { CacheDirectories.folder($0) },
    platforms: (@Sendable (_ withoutHost: Bool) -> OpenCLPlatformList)? = nil,
    isTakenUnasked: @escaping @Sendable (OpenCLDevice) -> Bool = { $0.kind == .gpu },
    measure: (@Sendable (OpenCLContext) throws -> DeviceProfile)? = nil,
    log: @escaping @Sendable (String) -> Void = { sentence in
      Logger(label: "coreml.runtime").warning("\(sentence)")
    }
  ) {
    self.processors = max(processors, 1)
    self.memory = memory
    self.folder = folder
    self.platforms =
      platforms ?? { withoutHost in
        withoutHost ? .accelerators(cacheDirectory: folder("programs")) : .system
      }
    self.isTakenUnasked = isTakenUnasked
    self.measure = measure
    self.log = log
  }

  // MARK: threads

  /// The thread pool shared by all models with this number of threads. It is released with the last model.
  package func pool(threads: Int) -> ThreadPool {
    pools.withLock { pools in
      if let pool = pools[threads]?.pool { return pool }
      let pool = ThreadPool(threads: threads)
      pools[threads] = WeakPool(pool: pool)
      return pool
    }
  }

  // MARK: devices

  /// All OpenCL devices, for callers that name one.
  package var devices: OpenCLPlatformList { list(withoutHost: false) }

  /// The devices that are used without being named, and errors of others.
  package var accelerators: (devices: [OpenCLDevice], problems: [KernelError]) {
    let list = list(withoutHost: true)
    guard list.hasLibrary else { return ([], []) }
    var platforms: [String: Substring] = [:]
    let devices = list.devices.filter { device in
      guard isTakenUnasked(device), let platform = device.id.split(separator: ":").dropFirst().first else {
        return false
      }
      // A second driver for a vendor lists the same devices again.
      let first = platforms[device.vendor] ?? platform
      platforms[device.vendor] = first
      return first == platform
    }
    return (devices, list.problems)
  }

  private func list(withoutHost: Bool) -> OpenCLPlatformList {
    lists.withLock { lists in
      if let list = lists[withoutHost] { return list }
      let list = platforms(withoutHost)
      lists[withoutHost] = list
      return list
    }
  }

  /// The device, opened once for all models.
  package func context(of device: OpenCLDevice) throws -> OpenCLContext {
    try contexts.withLock { contexts in
      if let context = contexts[device.id] { return context }
      let context = try OpenCLContext(device, cacheDirectory: folder("programs"))
      if let fault = context.cudaFault {
        warn("\(device.id) (\(device.name)) goes through OpenCL alone, because the CUDA driver failed: \(fault)")
      }
      contexts[device.id] = context
      return context
    }
  }

  // MARK: peak performance

  package func profile(of context: OpenCLContext) throws -> DeviceProfile {
    try measured(context.device.id) {
      try measure?(context) ?? MeasuredProfiles(directory: folder("profiles")).profile(of: context)
    }
  }

  /// The measured profile of the host with this number of threads.
  package func hostProfile(threads: Int) throws -> DeviceProfile {
    let pool = pool(threads: threads)
    return try measured("cpu \(threads)") {
      try MeasuredProfiles(directory: folder("profiles")).profile(of: pool, on: Processor.name)
    }
  }

  /// The kernel times of the host with this number of threads. Each is measured at its first use.
  func kernelTimings(threads: Int) -> KernelTimings {
    timings.withLock { timings in
      if let known = timings[threads] { return known }
      let new = KernelTimings(directory: folder("profiles"), processor: Processor.name, threads: threads)
      timings[threads] = new
      return new
    }
  }

  /// Only one measurement runs at a time.
  private func measured(_ key: String, _ measure: () throws -> DeviceProfile) throws -> DeviceProfile {
    try profiles.withLock { profiles in
      if let profile = profiles[key] { return profile }
      let profile = try measure()
      profiles[key] = profile
      return profile
    }
  }

  // MARK: logging

  /// Logs a sentence. With a subject, only the first time for that subject.
  package func warn(_ sentence: String, about subject: String? = nil) {
    guard subject.map({ subject in told.withLock { $0.insert(subject).inserted } }) ?? true else { return }
    log(sentence)
  }
}
