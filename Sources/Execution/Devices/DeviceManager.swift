import CoreMLBase
import CoreMLKernels
import Logging
import MIL
import Synchronization

/// What all models of a process share: threads, opened devices and what was measured of them. Models take theirs from `shared`; a test
/// makes its own.
package final class DeviceManager: Sendable {
  package static let shared = DeviceManager()

  /// Processors that predictions may keep busy, all of them together.
  package let processors: Int
  /// What its models hold together, and those that have budgets of their own within.
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
  ///   - memory: what models may hold.
  ///   - folder: where what can be made again is kept, by kind; nil keeps none of it.
  ///   - platforms: the OpenCL devices that there are, those of platforms that run on the host among them or not. Asked once for each.
  ///   - isTakenUnasked: whether a device may be used that nobody named.
  ///   - measure: what a device does at best; nil to measure it, once, and to keep that on disk.
  ///   - log: takes what whoever runs the process should know.
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

  /// The threads of every model that runs on so many. They end with the last model.
  package func pool(threads: Int) -> ThreadPool {
    pools.withLock { pools in
      if let pool = pools[threads]?.pool { return pool }
      let pool = ThreadPool(threads: threads)
      pools[threads] = WeakPool(pool: pool)
      return pool
    }
  }

  // MARK: devices

  /// Every OpenCL device, for whoever names one.
  package var devices: OpenCLPlatformList { list(withoutHost: false) }

  /// The devices that are used unasked, and what is wrong with others.
  package var accelerators: (devices: [OpenCLDevice], problems: [KernelError]) {
    let list = list(withoutHost: true)
    guard list.hasLibrary else { return ([], []) }
    var platforms: [String: Substring] = [:]
    let devices = list.devices.filter { device in
      guard isTakenUnasked(device), let platform = device.id.split(separator: ":").dropFirst().first else {
        return false
      }
      // A second driver of one vendor's devices shows the same ones again.
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
      contexts[device.id] = context
      return context
    }
  }

  // MARK: what they do at best

  package func profile(of context: OpenCLContext) throws -> DeviceProfile {
    try measured(context.device.id) {
      try measure?(context) ?? MeasuredProfiles(directory: folder("profiles")).profile(of: context)
    }
  }

  /// What the host does on so many threads.
  package func hostProfile(threads: Int) throws -> DeviceProfile {
    let pool = pool(threads: threads)
    return try measured("cpu \(threads)") {
      try MeasuredProfiles(directory: folder("profiles")).profile(of: pool, on: Processor.name)
    }
  }

  /// How long rows take on so many threads of the host, each timed when it is first asked for.
  func rowTimings(threads: Int) -> KernelTimings {
    timings.withLock { timings in
      if let known = timings[threads] { return known }
      let new = KernelTimings(directory: folder("profiles"), processor: Processor.name, threads: threads)
      timings[threads] = new
      return new
    }
  }

  /// One is measured at a time, undisturbed by others.
  private func measured(_ key: String, _ measure: () throws -> DeviceProfile) throws -> DeviceProfile {
    try profiles.withLock { profiles in
      if let profile = profiles[key] { return profile }
      let profile = try measure()
      profiles[key] = profile
      return profile
    }
  }

  // MARK: what is told

  /// Logs a sentence; once only for a subject.
  package func warn(_ sentence: String, about subject: String? = nil) {
    guard subject.map({ subject in told.withLock { $0.insert(subject).inserted } }) ?? true else { return }
    log(sentence)
  }
}
