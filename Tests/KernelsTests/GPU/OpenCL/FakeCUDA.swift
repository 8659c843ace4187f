import COpenCL
import Foundation
import Glibc
import Synchronization

@testable import CoreMLKernels

/// An NVIDIA device without a GPU. CUDA's driver is the fake of `tools/check-cuda`, whose device memory is the heap.
/// OpenCL is the tests' own device under NVIDIA's name, whose compiler returns `ptx` instead of its own binaries.
struct FakeCUDA: Sendable {
  /// Whether the machine has a CUDA driver. Then the fake is not loaded, because OpenCL's driver would use it.
  static let isDriverInstalled = dlopen("libcuda.so.1", RTLD_NOW) != nil
  static let shared = Result { try FakeCUDA() }

  /// The binary of each program.
  static let ptx = Mutex(FakeCUDA.probe)
  /// The PCI bus of the OpenCL device. The fake's devices are on 0x10 and 0x11.
  static let bus = Atomic<UInt32>(0x10)
  /// Whether the compiler fails.
  static let compilerFails = Atomic(false)

  /// `probe_launch.cl` as OpenCL's compiler writes it. The fake runs kernels by name.
  static let probe = """
    .version 8.0
    .target sm_90, texmode_independent
    .address_size 64
    .entry probe_launch(
    \t.param .u64 .ptr .global .align 4 probe_launch_param_0,
    \t.param .u64 probe_launch_param_1
    )
    { mov.b32 %r1, %envreg3; mov.b32 %r2, %envreg6; ret; }

    """

  /// Lets the call with this number fail, and with `forGood` every later one. With 0, no call fails.
  let fail: @convention(c) (_ number: CInt, _ code: CInt, _ forGood: Bool) -> Void
  /// Calls of the driver since the last `fail`.
  let calls: @convention(c) () -> CInt
  /// Objects of the driver that exist.
  let live: @convention(c) () -> CInt
  /// Lets the probe's kernel write wrong values.
  let spoil: @convention(c) (Bool) -> Void

  private init() throws {
    struct Unavailable: Error { let what: String }
    guard !Self.isDriverInstalled else { throw Unavailable(what: "the machine has a CUDA driver") }
    let folder = FileManager.default.temporaryDirectory.appending(path: "fake-cuda-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var checkout = URL(filePath: #filePath).deletingLastPathComponent()
    while checkout.lastPathComponent != "Tests" { checkout.deleteLastPathComponent() }
    let sources = checkout.deletingLastPathComponent().appending(path: "tools/cuda-check/fake")
    let files = try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)
    let library = folder.appending(path: "libcuda.so.1")
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    // The dynamic linker then takes this library for the one of that name.
    compiler.arguments =
      ["clang", "-std=gnu11", "-D_GNU_SOURCE", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", library.path]
      + files.map(\.path).filter { $0.hasSuffix(".c") }
    try compiler.run()
    compiler.waitUntilExit()
    guard compiler.terminationStatus == 0, let handle = dlopen(library.path, RTLD_NOW | RTLD_LOCAL) else {
      throw Unavailable(what: "the fake driver does not build or load")
    }
    func symbol<T>(_ name: String, as type: T.Type) throws -> T {
      guard let address = dlsym(handle, name) else { throw Unavailable(what: name) }
      return unsafeBitCast(address, to: type)
    }
    fail = try symbol("fake_fail", as: (@convention(c) (CInt, CInt, Bool) -> Void).self)
    calls = try symbol("fake_calls", as: (@convention(c) () -> CInt).self)
    live = try symbol("fake_live", as: (@convention(c) () -> CInt).self)
    spoil = try symbol("fake_spoil", as: (@convention(c) (Bool) -> Void).self)
  }

  // MARK: OpenCL

  private static var real: COpenCLFunctions? { OpenCLHarness.device?.library.functions }

  /// The tests' device as one of NVIDIA's.
  static func device(allowsCUDA: Bool = true) throws -> OpenCLDevice? {
    guard let device = OpenCLHarness.device, var table = real else { return nil }
    table.clGetPlatformInfo = { platform, name, capacity, bytes, size in
      guard name == cl_platform_info(CL_PLATFORM_NAME) else {
        return FakeCUDA.real?.clGetPlatformInfo(platform, name, capacity, bytes, size) ?? CL_INVALID_PLATFORM
      }
      let text = "NVIDIA CUDA"
      size?.pointee = text.utf8.count + 1
      if let bytes { text.withCString { _ = memcpy(bytes, $0, min(capacity, text.utf8.count + 1)) } }
      return CL_SUCCESS
    }
    table.clGetDeviceInfo = { device, name, capacity, bytes, size in
      let place: [cl_device_info: UInt32] = [0x4008: FakeCUDA.bus.load(ordering: .relaxed), 0x4009: 3, 0x400A: 0]
      guard let number = place[name] else {
        return FakeCUDA.real?.clGetDeviceInfo(device, name, capacity, bytes, size) ?? CL_INVALID_DEVICE
      }
      bytes?.storeBytes(of: number, as: UInt32.self)
      size?.pointee = 4
      return CL_SUCCESS
    }
    table.clBuildProgram = { program, count, devices, options, notify, data in
      guard !FakeCUDA.compilerFails.load(ordering: .relaxed) else { return CL_BUILD_PROGRAM_FAILURE }
      return FakeCUDA.real?.clBuildProgram(program, count, devices, options, notify, data) ?? CL_INVALID_PROGRAM
    }
    table.clGetProgramInfo = { program, name, capacity, bytes, size in
      let text = FakeCUDA.ptx.withLock { $0 }
      if name == cl_program_info(CL_PROGRAM_BINARY_SIZES) {
        bytes?.storeBytes(of: text.utf8.count + 1, as: Int.self)
      } else if let target = bytes?.load(as: UnsafeMutableRawPointer?.self) {
        text.withCString { _ = memcpy(target, $0, text.utf8.count + 1) }
      }
      return CL_SUCCESS
    }
    return try OpenCLDevice(
      device.handle, platform: device.platform, id: device.id,
      library: OpenCLLibrary(functions: table, allowsCUDA: allowsCUDA))
  }
}
