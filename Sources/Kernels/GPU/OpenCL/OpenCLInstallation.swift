import CoreMLBase
import CoreMLSpec
import Foundation

/// A fingerprint of everything that determines the available OpenCL devices, without loading a driver. Equal parts mean
/// equal devices.
struct OpenCLInstallation {
  let parts: [String]

  /// Prefixes of the environment variables that loaders and drivers read.
  private static let variables = [
    "CL", "CUDA", "GPU", "HIP", "LD_", "LIB", "MESA", "NVIDIA", "OCL", "ONEAPI", "OPENCL", "POCL", "ROC", "RUSTICL",
    "SYCL", "ZE",
  ]

  /// - Parameters:
  ///   - root: prefix of all paths; empty for the real file system.
  ///   - environment: the process's variables.
  init(root: String = "", environment: [String: String] = ProcessInfo.processInfo.environment) {
    let settings = environment.filter { name, _ in Self.variables.contains { name.hasPrefix($0) } }
    let own = ["OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"].compactMap { settings[$0] }
    // Devices appear as device nodes, and drivers as files of the loader. Other changes need a reboot or a new library.
    parts =
      settings.map { "\($0)=\($1)" }.sorted()
      + (["\(root)/etc/OpenCL/vendors"] + own).flatMap { Self.files(in: $0) }
      + ["\(root)/dev", "\(root)/dev/dri"].flatMap { Self.names(in: $0) }.map { $0 + Self.rights($0) }
      + [Self.file("\(root)/etc/ld.so.cache"), Self.text("\(root)/proc/sys/kernel/random/boot_id")]
  }

  /// Whether this process may open a device node. The answer changes when the user joins the device's group.
  private static func rights(_ path: String) -> String { access(path, R_OK | W_OK) == 0 ? " rw" : "" }

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted().map { "\(folder)/\($0)" } ?? []
  }

  private static func files(in folder: String) -> [String] { [file(folder)] + names(in: folder).map { file($0) } }

  /// A file's path, size and time of change.
  private static func file(_ path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return path }
    #if canImport(Darwin)
      let change = status.st_ctimespec
    #else
      let change = status.st_ctim
    #endif
    return "\(path) \(status.st_size) \(change.tv_sec) \(change.tv_nsec)"
  }

  private static func text(_ path: String) -> String {
    OpenFile.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
