import COpenCL

/// One device of one OpenCL platform, with the facts that kernels and plans are chosen by.
package final class OpenCLDevice: @unchecked Sendable {
  package enum Kind: String, Sendable, Hashable {
    case gpu, cpu, accelerator
  }

  /// Stable while the machine's drivers are: `opencl:<platform>:<device>`, both counted in the library's order.
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
  /// Bytes of local memory for one work-group.
  package let localMemoryBytes: Int
  /// Work-items in one work-group, at most, and in each of its dimensions.
  package let maxWorkGroupSize: Int
  package let maxWorkItemSizes: [Int]

  /// OpenCL's optional extensions that the driver states, by name.
  let extensions: Set<String>
  /// PCI vendor; NVIDIA's inline assembly is only tried on its own devices.
  let vendorID: UInt32
  /// Of NVIDIA's devices: ten times the major number and the minor one.
  let computeCapability: Int?
  let library: OpenCLLibrary
  /// Whether memory and launches go through CUDA's driver.
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

  /// A value of a fixed size; a device that answers with another size is refused.
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
