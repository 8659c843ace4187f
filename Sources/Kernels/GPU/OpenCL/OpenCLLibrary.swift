import CCUDA
import COpenCL
import CPlatform
import Glibc

/// The entry points of the OpenCL library, opened on first use. `@unchecked Sendable` because imported C function
/// pointers have no annotation. The pointers never change, and OpenCL's calls are thread-safe except for
/// `clSetKernelArg`, which `OpenCLLaunch` guards.
final class OpenCLLibrary: @unchecked Sendable {
  let functions: COpenCLFunctions
  /// Whether the entry points forward to the CUDA driver.
  let isCUDA: Bool

  /// Opens `path`. Throws `.openCLUnavailable` if it is absent or lacks an OpenCL 1.2 entry point.
  init(path: String) throws(KernelError) {
    let functions = UnsafeMutablePointer<COpenCLFunctions>.allocate(capacity: 1)
    defer { functions.deallocate() }
    var message = [CChar](repeating: 0, count: 512)
    guard copencl_load(path, functions, &message, message.count) == 0 else {
      let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw KernelError(.openCLUnavailable, "OpenCL is not available: \(String(decoding: text, as: UTF8.self))")
    }
    self.functions = functions.pointee
    isCUDA = false
  }

  /// The entry points for an NVIDIA device whose memory and launches go through the CUDA driver. Its launches are
  /// faster, and up to four times as fast when a repeated sequence runs as a CUDA graph. OpenCL's driver still
  /// compiles. Nil without a CUDA driver, or with `COREML_CUDA=off` in the environment.
  func throughCUDA(_ device: cl_device_id) -> OpenCLLibrary? {
    if let choice = getenv("COREML_CUDA"), strcmp(choice, "off") == 0 { return nil }
    var (own, table) = (functions, functions)
    var message = [CChar](repeating: 0, count: 512)
    guard ccuda_table(&own, device, &table, &message, message.count) == 0 else { return nil }
    return OpenCLLibrary(functions: table, isCUDA: true)
  }

  /// A library of these entry points. Tests use it to intercept calls to a driver.
  init(functions: COpenCLFunctions, isCUDA: Bool = false) { (self.functions, self.isCUDA) = (functions, isCUDA) }
}
