import COpenCL

/// One device of one OpenCL platform, with the properties that kernels and plans depend on.
package final class OpenCLDevice: @unchecked Sendable {
  package enum Kind: String, Sendable, Hashable {
    case gpu, cpu, accelerator
  }

  /// `opencl:<platform>:<device>`, both numbered in the library's order. Stable as long as the installed drivers are.
  package let id: String
  package let name: String
  package let vendor: String
  package let kind: Kind
  package let platformName: String
  package let platformVersion: String
  package let driverVersion: String
  package let computeUnits: Int
  /// Bytes of global memory.
  package let memoryBytes: Int
  /// Bytes of the largest buffer.
  package let maxAllocationBytes: Int
  /// Bytes of local memory of one work-group.
  package let localMemoryBytes: Int
  /// Limit for the work-items of one work-group, and for each of its dimensions.
  package let maxWorkGroupSize: Int
  package let maxWorkItemSizes: [Int]

  /// Names of the optional OpenCL extensions that the driver reports.
  let extensions: Set<String>
  /// PCI vendor ID. Inline PTX is only tried on NVIDIA's devices.
  let vendorID: UInt32
  /// For NVIDIA's devices: ten times the major version plus the minor version.
  let computeCapability: Int?
  let library: OpenCLLibrary
  /// Whether memory and launches go through the CUDA driver. Listed devices do not. The device of an `OpenCLContext`
  /// does if that works.
  package var usesCUDA: Bool { library.isCUDA }
  // Root devices are never released: the platform owns them.
  let handle: cl_device_id
  let platform: cl_platform_id

  init(_ handle: cl_device_id, platform: cl_platform_id, id: String, library: OpenCLLibrary) throws(KernelError) {
    let facts = OpenCLFacts(handle, platform, library.functions, id)
    self.handle = handle
    self.platform = platform
    self.library = library
    self.id = id
    name = try facts.text(CL_DEVICE_NAME)
    vendor = try facts.text(CL_DEVICE_VENDOR)
    vendorID = try facts.value(CL_DEVICE_VENDOR_ID, UInt32(0))
    let type = try facts.value(CL_DEVICE_TYPE, cl_device_type(0))
    kind = type & (1 << 2) != 0 ? .gpu : type & (1 << 1) != 0 ? .cpu : .accelerator
    driverVersion = try facts.text(CL_DRIVER_VERSION)
    extensions = Set(try facts.text(CL_DEVICE_EXTENSIONS).split(separator: " ").map(String.init))
    if extensions.contains("cl_nv_device_attribute_query") {
      computeCapability = Int(try facts.value(0x4000, UInt32(0))) * 10 + Int(try facts.value(0x4001, UInt32(0)))
    } else {
      computeCapability = nil
    }
    platformName = try facts.platformText(CL_PLATFORM_NAME)
    platformVersion = try facts.platformText(CL_PLATFORM_VERSION)
    computeUnits = Int(try facts.value(CL_DEVICE_MAX_COMPUTE_UNITS, UInt32(0)))
    memoryBytes = Int(clamping: try facts.value(CL_DEVICE_GLOBAL_MEM_SIZE, UInt64(0)))
    maxAllocationBytes = Int(clamping: try facts.value(CL_DEVICE_MAX_MEM_ALLOC_SIZE, UInt64(0)))
    localMemoryBytes = Int(clamping: try facts.value(CL_DEVICE_LOCAL_MEM_SIZE, UInt64(0)))
    maxWorkGroupSize = max(Int(clamping: try facts.value(CL_DEVICE_MAX_WORK_GROUP_SIZE, UInt(0))), 1)
    let sizes = try facts.value(CL_DEVICE_MAX_WORK_ITEM_SIZES, (UInt(1), UInt(1), UInt(1)))
    maxWorkItemSizes = [sizes.0, sizes.1, sizes.2].map { max(Int(clamping: $0), 1) }
  }

  /// Whether this is a device of NVIDIA's that may go through the CUDA driver.
  var mayUseCUDA: Bool { library.allowsCUDA && platformName == "NVIDIA CUDA" }

  /// The same device through the CUDA driver.
  func throughCUDA() throws(KernelError) -> OpenCLDevice {
    try OpenCLDevice(handle, platform: platform, id: id, library: library.throughCUDA(handle))
  }

  /// Everything that a compiled program depends on besides its source.
  package var programIdentity: String {
    [name, vendor, driverVersion, platformName, platformVersion].joined(separator: "\n")
  }
}

/// Reads `clGetDeviceInfo` and `clGetPlatformInfo`.
private struct OpenCLFacts {
  let device: cl_device_id
  let platform: cl_platform_id
  let functions: COpenCLFunctions
  let id: String

  init(_ device: cl_device_id, _ platform: cl_platform_id, _ functions: COpenCLFunctions, _ id: String) {
    self.device = device
    self.platform = platform
    self.functions = functions
    self.id = id
  }

  func text(_ key: Int32) throws(KernelError) -> String {
    try text("clGetDeviceInfo") { functions.clGetDeviceInfo(device, cl_device_info(key), $0, $1, $2) }
  }

  func platformText(_ key: Int32) throws(KernelError) -> String {
    try text("clGetPlatformInfo") { functions.clGetPlatformInfo(platform, cl_platform_info(key), $0, $1, $2) }
  }

  /// A value of fixed size. Throws if the device answers with another size.
  func value<T: BitwiseCopyable>(_ key: Int32, _ initial: T) throws(KernelError) -> T {
    var value = initial
    var size = 0
    let status = functions.clGetDeviceInfo(device, cl_device_info(key), MemoryLayout<T>.size, &value, &size)
    try OpenCLStatus.check(status, "clGetDeviceInfo", id)
    guard size == MemoryLayout<T>.size else {
      throw KernelError(.openCLCall, "\(id): clGetDeviceInfo(\(key)) gave \(size) bytes, not \(MemoryLayout<T>.size)")
    }
    return value
  }

  private func text(
    _ call: String, _ query: (Int, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>?) -> cl_int
  ) throws(KernelError) -> String {
    var size = 0
    try OpenCLStatus.check(query(0, nil, &size), call, id)
    guard size > 0, size <= 1 << 16 else { return "" }
    var bytes = [UInt8](repeating: 0, count: size)
    try OpenCLStatus.check(query(size, &bytes, nil), call, id)
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).trimmed
  }
}

extension String {
  /// Without the spaces that some drivers pad names with.
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
