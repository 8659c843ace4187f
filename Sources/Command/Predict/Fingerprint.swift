import CPlatform
import FeatureFiles
import Foundation

/// What tells that an input is still the one it was: a digest of its bytes, and of those of files that it names.
struct Fingerprint {
  private var sha = CPlatformSHA256()

  init() { cplatform_sha256_begin(&sha) }

  /// Of a row that is a file: its name, the file, and the pictures that it names where it is JSON.
  init(row name: String, at path: String, _ reader: FeatureReader) {
    self.init()
    append(name)
    append(fileAt: path)
    if reader.takesImages, path.lowercased().hasSuffix(".json"), let json = try? JSONValue(file: path) {
      append(picturesIn: json, reader, folder: URL(filePath: path).deletingLastPathComponent().path)
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

  /// What a file holds.
  mutating func append(fileAt path: String) { append(Self.digest(ofFileAt: path) ?? "absent") }

  /// The digest of what a regular file holds; nil where it cannot be read.
  static func digest(ofFileAt path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var fingerprint = Fingerprint()
    var buffer = [UInt8](repeating: 0, count: min(max(Int(status.st_size), 1), 1 << 20))
    while true {
      let got = read(file, &buffer, buffer.count)
      if got == 0 { return fingerprint.text }
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else { return nil }
      buffer.withUnsafeBytes { fingerprint.append(UnsafeRawBufferPointer(rebasing: $0[..<got])) }
    }
  }

  /// The digest of a text.
  static func digest(of text: String) -> String {
    var (fingerprint, text) = (Fingerprint(), text)
    text.withUTF8 { fingerprint.append(UnsafeRawBufferPointer($0)) }
    return fingerprint.text
  }

  /// The pictures that a row names as its features, relative to a folder.
  mutating func append(picturesIn row: JSONValue, _ reader: FeatureReader, folder: String) {
    guard case .object(let members) = row else { return }
    for (name, value) in members.sorted(by: { $0.key < $1.key }) where reader.isImage(name) {
      guard let path = FeatureJSON.picture(value) else { continue }
      append(fileAt: path.hasPrefix("/") ? path : "\(folder)/\(path)")
    }
  }

  /// 32 hexadecimal digits: enough against mistakes, which is what this is for.
  var text: String {
    var (sha, digest) = (sha, [UInt8](repeating: 0, count: 32))
    cplatform_sha256_end(&sha, &digest)
    return digest.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
