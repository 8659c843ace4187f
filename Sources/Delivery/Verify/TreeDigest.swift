import CoreMLBase
import Foundation

/// One file of a tree: its path, size and digest.
public struct TreeFile: Sendable, Hashable, Codable {
  /// The path below the tree's folder, with `/` as separator, such as `weights/weight.bin`.
  public let path: String
  /// The size in bytes.
  public let size: Int64
  /// The SHA-256 of the content, in hexadecimal.
  public let sha256: String

  /// Creates an entry from given values; no file is read.
  public init(path: String, size: Int64, sha256: String) {
    self.path = path
    self.size = size
    self.sha256 = sha256
  }
}

/// The digest of a whole model.
///
/// It is the SHA-256 of the path, size and SHA-256 of every file. Each field is preceded by its length, and the files
/// are in the byte order of their paths. Times, modes and empty folders do not count.
///
/// A single-file `.mlmodel` is a tree with one file named ``fileName``, regardless of its actual name.
public enum TreeDigest {
  /// The path of a `.mlmodel` in its tree.
  public static let fileName = "model.mlmodel"

  /// Returns the digest of a tree of these files, in hexadecimal.
  public static func digest(of files: [TreeFile]) -> String {
    var sha = SHA256Digest()
    for file in files.sorted(by: { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }) {
      sha.append(field: file.path)
      sha.append(field: "\(file.size)")
      sha.append(field: file.sha256)
    }
    return sha.hexadecimal()
  }

  /// Returns the files below a folder, or a single file. Links are followed.
  ///
  /// - Throws: ``DeliveryError`` if the item does not exist or cannot be a model.
  public static func files(of tree: URL) throws -> [TreeFile] { try ModelContents(of: tree).files(below: tree) }

  /// Returns the digest of the file or folder at a path, in hexadecimal.
  public static func digest(of tree: URL) throws -> String { digest(of: try files(of: tree)) }

  /// Returns whether a text is a valid digest: 64 lowercase hexadecimal digits.
  public static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
