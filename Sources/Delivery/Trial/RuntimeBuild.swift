import CPlatform
import Foundation

/// Which build of the runtime this is: what was compiled, or found bad, with one build says little of another, whatever their versions.
enum RuntimeBuild {
  /// The file that this code was loaded from: the program, or the library that holds it.
  static let image: String = {
    var path = [CChar](repeating: 0, count: 4096)
    cplatform_image_path(&path, path.count)
    return String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()

  /// The linker's identity of that file, where it wrote one; otherwise what the file system says of the file.
  static let identity: String = {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = cplatform_build_identity(&bytes, bytes.count)
    if count >= 8 { return bytes.prefix(count).map { String(format: "%02x", $0) }.joined() }
    var status = stat()
    guard stat(image, &status) == 0 else { return "unknown" }
    return "\(status.st_size)-\(status.st_ino)-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }()
}
