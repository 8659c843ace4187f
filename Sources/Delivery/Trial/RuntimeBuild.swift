import CPlatform
import Foundation

/// Identifies the build of the runtime. Compiled models and blocks of one build do not apply to another, even with
/// equal versions.
enum RuntimeBuild {
  /// The file that contains this code: the executable or a shared library.
  static let image: String = {
    var path = [CChar](repeating: 0, count: 4096)
    cplatform_image_path(&path, path.count)
    return String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()

  /// The linker's build ID of that file; without one, its size, inode and modification time.
  static let identity: String = {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = cplatform_build_identity(&bytes, bytes.count)
    if count >= 8 { return bytes.prefix(count).map { String(format: "%02x", $0) }.joined() }
    var status = stat()
    guard stat(image, &status) == 0 else { return "unknown" }
    return "\(status.st_size)-\(status.st_ino)-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }()
}
