import COpenCL
import CPlatform
import Glibc

/// The entry points of the OpenCL library, opened when first asked for. Unchecked because imported C function pointers
/// carry no annotation: the pointers never change, and OpenCL's calls are thread-safe except `clSetKernelArg`, which
/// `OpenCLLaunch` guards.
final class OpenCLLibrary: @unchecked Sendable {
  let functions: COpenCLFunctions
  /// Whether they end in CUDA's driver.
  let isCUDA: Bool

  /// Opens `path`; throws `.openCLUnavailable` when it is absent or lacks an OpenCL 1.2 entry point.
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

  /// The entry points for one of NVIDIA's devices whose memory and launches go through CUDA's driver, which takes two thirds of the time for a
  /// launch, and a quarter where the same ones come again, as a graph. OpenCL's driver stays what compiles. Nil where there is no such driver, and
  /// where the environment says COREML_CUDA=off.
  func throughCUDA(_ device: cl_device_id) -> OpenCLLibrary? {
    if let choice = getenv("COREML_CUDA"), strcmp(choice, "off") == 0 { return nil }
    var (own, table) = (functions, functions)
    var message = [CChar](repeating: 0, count: 512)
    guard copencl_cuda(&own, device, &table, &message, message.count) == 0 else { return nil }
    return OpenCLLibrary(functions: table, isCUDA: true)
  }

  /// A library of these entry points, such as ones that tests put between the callers and a driver.
  init(functions: COpenCLFunctions, isCUDA: Bool = false) { (self.functions, self.isCUDA) = (functions, isCUDA) }
}
