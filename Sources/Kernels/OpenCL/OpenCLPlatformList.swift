import COpenCL

/// The OpenCL devices of this machine. No library, no driver, or a broken one is not an error: the list is shorter, and
/// `problems` says why. A driver may even end the process that asks it, so a child asks first.
public struct OpenCLPlatformList: Sendable {
  public let devices: [OpenCLDevice]
  public let problems: [KernelError]

  /// What the system's ICD loader finds, looked up once, when first asked for.
  public static let system = OpenCLPlatformList(libraryPath: "libOpenCL.so.1")

  /// The same without platforms that run on the CPU (PoCL): whoever looks for a GPU does not start them. Starting one costs 50 MB and time.
  public static let accelerators = OpenCLPlatformList(libraryPath: "libOpenCL.so.1", hostPlatforms: false)

  /// Every device of every platform of the library at `libraryPath`, those of PoCL only if `hostPlatforms` says so.
  public init(libraryPath: String, hostPlatforms: Bool = true) {
    var devices: [OpenCLDevice] = []
    var problems: [KernelError] = []
    do {
      let library = try OpenCLLibrary(path: libraryPath)
      for (number, platform) in try Self.platforms(library).enumerated() {
        if !hostPlatforms && Self.isHost(library, platform) { continue }
        do {
          try Self.survive(library, platform, "opencl:\(number)")
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
    self.devices = devices
    self.problems = problems
  }

  public func device(_ id: String) -> OpenCLDevice? { devices.first { $0.id == id } }

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

  /// Told by the name, which no device has to be started for.
  private static func isHost(_ library: OpenCLLibrary, _ platform: cl_platform_id) -> Bool {
    var name = [UInt8](repeating: 0, count: 256)
    let status = library.functions.clGetPlatformInfo(
      platform, cl_platform_info(CL_PLATFORM_NAME), name.count, &name, nil)
    return status == CL_SUCCESS
      && String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) == "Portable Computing Language"
  }

  /// Seconds that a driver may take to start.
  private static let patience: UInt32 = 20

  private static func survive(
    _ library: OpenCLLibrary, _ platform: cl_platform_id, _ place: String
  ) throws(KernelError) {
    var functions = library.functions
    let signal = copencl_try_devices(&functions, platform, patience)
    guard signal == 0 else {
      throw KernelError(
        .openCLUnavailable, "\(place): the driver ends the process that asks for its devices, by signal \(signal)")
    }
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
