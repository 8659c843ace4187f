import CPlatform
import FeatureFiles
import Foundation

/// What tells that an input is still the one it was: a digest of its bytes, and of the sizes and times of files that it names.
struct Fingerprint {
  private var sha = CPlatformSHA256()

  init() { cplatform_sha256_begin(&sha) }

  /// Of a row that is a file: its name, the file, and the pictures that it names where it is JSON.
  init(row name: String, at path: String, mayNamePictures: Bool) {
    self.init()
    append(name)
    append(fileAt: path)
    if mayNamePictures, path.lowercased().hasSuffix(".json"), let json = try? JSONValue(file: path) {
      append(picturesIn: json, folder: URL(filePath: path).deletingLastPathComponent().path)
    }
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    cplatform_sha256_append(&sha, bytes.baseAddress, bytes.count)
  }

  /// Text, with its length before it, so that neighbours stay apart.
  mutating func append(_ text: String) {
    var text = "\(text.utf8.count)\n\(text)"
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// A file's size and the time of its last change.
  mutating func append(fileAt path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return append("absent") }
    append("\(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)")
  }

  /// The pictures that values name, relative to a folder.
  mutating func append(picturesIn value: JSONValue, folder: String) {
    switch value {
    case .object(let members):
      if members.count == 1, case .string(let path)? = members["image"] {
        append(fileAt: path.hasPrefix("/") ? path : "\(folder)/\(path)")
      } else {
        for (_, member) in members.sorted(by: { $0.key < $1.key }) { append(picturesIn: member, folder: folder) }
      }
    case .array(let items): for item in items { append(picturesIn: item, folder: folder) }
    default: break
    }
  }

  /// Sixteen hexadecimal digits: enough against mistakes, which is what this is for.
  var text: String {
    var (sha, digest) = (sha, [UInt8](repeating: 0, count: 32))
    cplatform_sha256_end(&sha, &digest)
    return digest.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
