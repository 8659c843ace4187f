import CCUDA
import COpenCL
import CPlatform
import Glibc

/// A table of OpenCL's entry points: those of the OpenCL library, opened on first use, or those of the CUDA back end.
/// `@unchecked Sendable` because imported C function pointers have no annotation. The pointers never change, and
/// OpenCL's calls are thread-safe except for `clSetKernelArg`, which `OpenCLLaunch` guards.
final class OpenCLLibrary: @unchecked Sendable {
  let functions: COpenCLFunctions
  /// Whether the entry points forward to the CUDA driver.
  let isCUDA: Bool
  /// Whether NVIDIA devices may use the CUDA driver in place of these entry points.
  let allowsCUDA: Bool

  /// Opens `path`. Throws `.openCLUnavailable` if it is absent or lacks an OpenCL 1.2 entry point. `COREML_CUDA=off` in
  /// the environment disallows the CUDA driver.
  init(path: String) throws(KernelError) {
    let functions = UnsafeMutablePointer<COpenCLFunctions>.allocate(capacity: 1)
    defer { functions.deallocate() }
    var message = [CChar](repeating: 0, count: 512)
    guard copencl_load(path, functions, &message, message.count) == 0 else {
      throw KernelError(.openCLUnavailable, "OpenCL is not available: \(Self.text(message))")
    }
    self.functions = functions.pointee
    isCUDA = false
    allowsCUDA = getenv("COREML_CUDA").map { strcmp($0, "off") != 0 } ?? true
  }

  /// The entry points for an NVIDIA device whose memory and launches go through the CUDA driver. Its launches are
  /// faster, and up to four times as fast when a repeated sequence runs as a CUDA graph. OpenCL's driver still
  /// compiles. Throws `.openCLUnavailable` without a CUDA driver that has this device.
  func throughCUDA(_ device: cl_device_id) throws(KernelError) -> OpenCLLibrary {
    var (own, table) = (functions, functions)
    var message = [CChar](repeating: 0, count: 512)
    guard ccuda_table(&own, device, &table, &message, message.count) == 0 else {
      throw KernelError(.openCLUnavailable, Self.text(message))
    }
    return OpenCLLibrary(functions: table, isCUDA: true)
  }

  /// A library of these entry points. Tests use it to intercept calls to a driver.
  init(functions: COpenCLFunctions, isCUDA: Bool = false, allowsCUDA: Bool = false) {
    (self.functions, self.isCUDA, self.allowsCUDA) = (functions, isCUDA, allowsCUDA)
  }

  private static func text(_ message: [CChar]) -> String {
    String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
