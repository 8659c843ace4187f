import CPlatform
import CoreMLBase
import CoreMLSpec
import Foundation

/// The file that a model's weights are in.
package struct WeightFile: Sendable, Hashable {
  /// What tells it from all other weight files of this machine.
  package let identity: String
  /// It will not be there for long: what is made of it is not worth keeping.
  package let isTemporary: Bool
}

/// The digest that a compiled model carries of its weight file.
package enum WeightsDigest {
  private static let step = 16 << 20

  /// SHA-256 of a file, in hexadecimal. The file is read through once and leaves no pages behind.
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

  /// The same of what `body` appends.
  static func digest(_ body: ((UnsafeRawBufferPointer) -> Void) throws -> Void) rethrows -> String {
    var sha = SHA256Digest()
    try body { sha.append($0) }
    return sha.hexadecimal()
  }

  /// What tells a weight file from all others on this machine: the digest that its model states, which nobody has checked, and which file it
  /// is and since when, which its author has no say in. Nil where there is no such file.
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

  /// Whether a file stands where files are not kept.
  private static func isTemporary(_ path: String) -> Bool {
    let own = URL(filePath: path).resolvingSymlinksInPath().path
    let configured = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
    let places = [configured, "/tmp", "/var/tmp", "/dev/shm"]
    return places.contains { own.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }
  }

  /// States the digest anew after another file took the place of a model's weights; does nothing for a model that carries none.
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
