import COpenCL
import Synchronization

/// The OpenCL devices of this machine. No library, no driver, or a broken one is not an error: the list is shorter, and
/// `problems` says why. A driver may even end the process that asks it, so a child asks first.
package struct OpenCLPlatformList: Sendable {
  package let devices: [OpenCLDevice]
  package let problems: [KernelError]
  /// Whether there is an OpenCL library at all: a machine without one has no problem, it has no such devices.
  package let hasLibrary: Bool

  /// What the system's ICD loader finds, looked up once, when first asked for.
  package static let system = OpenCLPlatformList(libraryPath: "libOpenCL.so.1")

  /// Those of the system without platforms that run on the CPU (PoCL): whoever looks for a GPU does not start them. Starting one costs
  /// 50 MB and time. That a driver let its child live is remembered in the directory `cacheDirectory`, so that GPUs start once; so is that
  /// there is no GPU, for even to be asked that drivers are loaded with all their libraries (LLVM for PoCL: 60 MB and 20 ms).
  package static func accelerators(cacheDirectory: String?) -> OpenCLPlatformList {
    accelerators(libraryPath: "libOpenCL.so.1", cacheDirectory: cacheDirectory, OpenCLInstallation())
  }

  static func accelerators(
    libraryPath: String, cacheDirectory: String?, _ installation: OpenCLInstallation
  ) -> OpenCLPlatformList {
    let cache = FileCache(directory: cacheDirectory)
    let verdict = FileCache.fileName(["no accelerators", libraryPath] + installation.parts, suffix: "clprogram")
    if cache.load(verdict) != nil { return OpenCLPlatformList(devices: [], problems: [], hasLibrary: true) }
    let list = OpenCLPlatformList(libraryPath: libraryPath, hostPlatforms: false, cacheDirectory: cacheDirectory)
    if list.hasLibrary, list.devices.isEmpty, list.problems.isEmpty { cache.save([1], verdict) }
    return list
  }

  /// Every device of every platform of the library at `libraryPath`, those of PoCL only if `hostPlatforms` says so.
  package init(libraryPath: String, hostPlatforms: Bool = true, cacheDirectory: String? = nil) {
    do {
      self.init(try OpenCLLibrary(path: libraryPath), hostPlatforms: hostPlatforms, cacheDirectory: cacheDirectory)
    } catch {
      self.init(devices: [], problems: [error], hasLibrary: false)
    }
  }

  init(devices: [OpenCLDevice], problems: [KernelError], hasLibrary: Bool) {
    (self.devices, self.problems, self.hasLibrary) = (devices, problems, hasLibrary)
  }

  init(_ library: OpenCLLibrary, hostPlatforms: Bool = true, cacheDirectory: String? = nil) {
    let found = Self.asking.withLock { _ in Self.found(library, hostPlatforms, cacheDirectory) }
    self.init(devices: found.devices, problems: found.problems, hasLibrary: true)
  }

  /// Drivers set themselves up when they are first asked: not all of them can do that for two threads at once, and none in a child that is made
  /// meanwhile.
  private static let asking = Mutex(())

  private static func found(
    _ library: OpenCLLibrary, _ hostPlatforms: Bool, _ cacheDirectory: String?
  ) -> (devices: [OpenCLDevice], problems: [KernelError]) {
    var devices: [OpenCLDevice] = []
    var problems: [KernelError] = []
    do {
      for (number, platform) in try Self.platforms(library).enumerated() {
        let name = Self.text(library, platform, CL_PLATFORM_NAME)
        let isHost = name == "Portable Computing Language"  // told without starting a device
        if isHost && !hostPlatforms { continue }
        do {
          // How PoCL fares depends on the machine's state, not only on the driver, and asking it is quick.
          let cache = FileCache(directory: isHost ? nil : cacheDirectory)
          try Self.survive(library, platform, "opencl:\(number)", name, cache)
          for (index, device) in try Self.devices(library, platform, "opencl:\(number)").enumerated() {
            let id = "opencl:\(number):\(index)"
            do {
              let own = name == "NVIDIA CUDA" ? library.throughCUDA(device) : nil
              devices.append(try OpenCLDevice(device, platform: platform, id: id, library: own ?? library))
            } catch {
              problems.append(error)
            }
          }
        } catch {
          problems.append(error)
        }
      }
    } catch {
      problems.append(error)
    }
    return (devices, problems)
  }

  package func device(_ id: String) -> OpenCLDevice? { devices.first { $0.id == id } }

  // An installation with more than this many is broken.
  private static let limit: UInt32 = 64

  private static func platforms(_ library: OpenCLLibrary) throws(KernelError) -> [cl_platform_id] {
    var platforms = [cl_platform_id?](repeating: nil, count: Int(limit))
    var count: UInt32 = 0
    let status = library.functions.clGetPlatformIDs(limit, &platforms, &count)
    // CL_PLATFORM_NOT_FOUND_KHR: the loader has no driver.
    if status == -1001 { return [] }
    try OpenCLStatus.check(status, "clGetPlatformIDs", "OpenCL")
    return platforms.prefix(Int(min(count, limit))).compactMap { $0 }
  }

  private static func text(_ library: OpenCLLibrary, _ platform: cl_platform_id, _ key: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 256)
    let status = library.functions.clGetPlatformInfo(platform, cl_platform_info(key), bytes.count, &bytes, nil)
    return status == CL_SUCCESS ? String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) : ""
  }

  /// Seconds that a driver may take to start.
  private static let patience: UInt32 = 20

  /// Throws when a child process does not live through asking for the devices. The version names the driver's release.
  private static func survive(
    _ library: OpenCLLibrary, _ platform: cl_platform_id, _ place: String, _ name: String, _ cache: FileCache
  ) throws(KernelError) {
    let verdict = FileCache.fileName(
      ["survived", name, text(library, platform, CL_PLATFORM_VERSION)], suffix: "clprogram")
    guard cache.load(verdict) == nil else { return }
    var functions = library.functions
    let signal = copencl_try_devices(&functions, platform, patience)
    guard signal == 0 else {
      throw KernelError(
        .openCLUnavailable, "\(place): the driver ends the process that asks for its devices, by signal \(signal)")
    }
    cache.save([1], verdict)
  }

  private static func devices(
    _ library: OpenCLLibrary, _ platform: cl_platform_id, _ place: String
  ) throws(KernelError) -> [cl_device_id] {
    var devices = [cl_device_id?](repeating: nil, count: Int(limit))
    var count: UInt32 = 0
    let all: cl_device_type = 0xFFFF_FFFF
    let status = library.functions.clGetDeviceIDs(platform, all, limit, &devices, &count)
    if status == CL_DEVICE_NOT_FOUND { return [] }
    try OpenCLStatus.check(status, "clGetDeviceIDs", place)
    return devices.prefix(Int(min(count, limit))).compactMap { $0 }
  }
}
