import CoreMLBase
import CoreMLSpec
import CPlatform
import Foundation

/// The file that contains a model's weights.
package struct WeightFile: Sendable, Hashable {
  /// Identifies the file among all weight files of this machine.
  package let identity: String
  /// Whether the file is in a temporary location; then derived data is not worth caching.
  package let isTemporary: Bool
}

/// The digest of the weight file in a compiled model.
package enum WeightsDigest {
  private static let step = 16 << 20

  /// The hexadecimal SHA-256 of a file. The file is read once and its pages are released.
  static func digest(ofFile path: String) throws -> String {
    let bytes = try Bytes.mapping(file: path)
    return bytes.withUnsafeBytes { all in
      digest { append in
        for first in stride(from: 0, to: all.count, by: step) {
          let part = UnsafeRawBufferPointer(rebasing: all[first..<min(first + step, all.count)])
          append(part)
          Bytes.release(part, of: bytes.owner)
        }
      }
    }
  }

  /// The hexadecimal SHA-256 of the bytes that `body` appends.
  static func digest(_ body: ((UnsafeRawBufferPointer) -> Void) throws -> Void) rethrows -> String {
    var sha = SHA256Digest()
    try body { sha.append($0) }
    return sha.hexadecimal()
  }

  /// Identifies a weight file among all on this machine. The identity contains the digest in the model, which is not
  /// verified. It also contains the file's size, inode number and change time, over which the model's author has no
  /// control. Returns nil if the file does not exist.
  static func file(_ path: String, stated digest: String) -> WeightFile? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    #if canImport(Darwin)
      let change = status.st_ctimespec
    #else
      let change = status.st_ctim
    #endif
    return WeightFile(
      identity: "\(digest) \(status.st_size) \(status.st_ino) \(change.tv_sec) \(change.tv_nsec)",
      isTemporary: isTemporary(path))
  }

  /// Whether a file is in a folder for temporary files.
  private static func isTemporary(_ path: String) -> Bool {
    let own = URL(filePath: path).resolvingSymlinksInPath().path
    let configured = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
    let places = [configured, "/tmp", "/var/tmp", "/dev/shm"]
    return places.contains { own.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }
  }

  /// Updates the digest after another file has replaced a model's weights. Does nothing for a model without a digest.
  package static func renew(in folder: String) throws {
    let path = "\(folder)/metadata.json"
    guard let bytes = OpenFile.contents(atPath: path, limit: 1 << 20), bytes.count < 1 << 20,
      var metadata = try? JSONDecoder().decode([CompiledBundle.Metadata].self, from: Data(bytes)),
      metadata.first?.weightsDigest != nil
    else { return }
    metadata[0].weightsDigest = try digest(ofFile: "\(folder)/weights/weight.bin")
    let file = try FileWriter(path: path)
    try file.append(CompiledBundle.encoded(metadata))
    try file.commit()
  }
}
