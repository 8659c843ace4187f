import COpenCL
import CPlatform

/// The entry points of the OpenCL library, opened when first asked for. Unchecked because imported C function pointers
/// carry no annotation: the pointers never change, and OpenCL's calls are thread-safe except `clSetKernelArg`, which
/// `OpenCLLaunch` guards.
final class OpenCLLibrary: @unchecked Sendable {
  let functions: COpenCLFunctions

  /// Calls that are `functions`.
  init(_ functions: COpenCLFunctions) { self.functions = functions }

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
  }
}

/// SHA-256 of bytes, in hexadecimal.
func sha256(_ bytes: [UInt8]) -> String {
  var digest = [UInt8](repeating: 0, count: 32)
  var sha = CPlatformSHA256()
  cplatform_sha256_begin(&sha)
  cplatform_sha256_append(&sha, bytes, bytes.count)
  cplatform_sha256_end(&sha, &digest)
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
