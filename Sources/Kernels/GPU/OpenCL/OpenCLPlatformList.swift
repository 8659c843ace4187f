import COpenCL
import Synchronization

/// The OpenCL devices of this machine. A missing library or driver, or a broken one, is not an error: the list is
/// shorter, and `problems` has the reasons. Because a driver may even abort the process that queries it, a child
/// process queries it first.
package struct OpenCLPlatformList: Sendable {
  package let devices: [OpenCLDevice]
  package let problems: [KernelError]
  /// Whether an OpenCL library exists. A machine without one reports no problem, only no devices.
  package let hasLibrary: Bool

  /// The devices that the system's ICD loader finds, enumerated once, on first use.
  package static let system = OpenCLPlatformList(libraryPath: "libOpenCL.so.1")

  /// The system's devices without those of CPU platforms (PoCL), which are not started. Starting PoCL takes 50 MB of
  /// memory.
  ///
  /// The directory `cacheDirectory` remembers that a driver did not abort its child process, so that GPUs start only
  /// once. It also remembers that no GPU exists, because even that query loads all drivers with their libraries (LLVM
  /// for PoCL).
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

  /// All devices of all platforms of the library at `libraryPath`. Those of PoCL only with `hostPlatforms`.
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

  /// Drivers initialize themselves on the first query. Not all can do that on two threads concurrently, and none in a
  /// child process that is forked meanwhile.
  private static let asking = Mutex(())

  private static func found(
    _ library: OpenCLLibrary, _ hostPlatforms: Bool, _ cacheDirectory: String?
  ) -> (devices: [OpenCLDevice], problems: [KernelError]) {
    var devices: [OpenCLDevice] = []
    var problems: [KernelError] = []
    do {
      for (number, platform) in try Self.platforms(library).enumerated() {
        let name = Self.text(library, platform, CL_PLATFORM_NAME)
        let isHost = name == "Portable Computing Language"  // known without starting a device
        if isHost && !hostPlatforms { continue }
        do {
          // Whether PoCL works depends on the state of the machine, not only on the driver, and the query is fast. So
          // it is not cached.
          let cache = FileCache(directory: isHost ? nil : cacheDirectory)
          try Self.survive(library, platform, "opencl:\(number)", name, cache)
          for (index, device) in try Self.devices(library, platform, "opencl:\(number)").enumerated() {
            let id = "opencl:\(number):\(index)"
            do {
              devices.append(try OpenCLDevice(device, platform: platform, id: id, library: library))
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

  // An installation with more platforms or devices than this is broken.
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

  /// Throws if a child process does not survive querying the devices. The cache key has the platform version, which
  /// identifies the driver's release.
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
