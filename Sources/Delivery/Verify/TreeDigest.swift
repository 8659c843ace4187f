import CoreMLBase
import Foundation

/// One file of a tree: its path below the tree's folder, with `/` between components, and what it holds.
public struct TreeFile: Sendable, Hashable, Codable {
  /// Below the tree's folder, such as `weights/weight.bin`.
  public let path: String
  /// In bytes.
  public let size: Int64
  /// In hexadecimal.
  public let sha256: String

  /// A file of a tree; nothing is read.
  public init(path: String, size: Int64, sha256: String) {
    self.path = path
    self.size = size
    self.sha256 = sha256
  }
}

/// The digest of a model as a whole: SHA-256 over the path, size and SHA-256 of every file, each with its length before it, in the
/// order of the paths' bytes. Times, modes and empty folders do not count.
///
/// A `.mlmodel`, which is one file, is a tree of that file under the name ``fileName``, whatever it is called.
public enum TreeDigest {
  /// The path of a `.mlmodel` in its tree.
  public static let fileName = "model.mlmodel"

  /// The digest of a tree of these files, in hexadecimal.
  public static func digest(of files: [TreeFile]) -> String {
    var sha = SHA256Digest()
    for file in files.sorted(by: { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }) {
      sha.append(field: file.path)
      sha.append(field: "\(file.size)")
      sha.append(field: file.sha256)
    }
    return sha.hexadecimal()
  }

  /// The files below a folder, or a single one. Links are followed.
  ///
  /// - Throws: ``DeliveryError`` when there is no such item, or it is no model's files.
  public static func files(of tree: URL) throws -> [TreeFile] { try ModelContents(of: tree).files(below: tree) }

  /// The digest of what stands at a path, in hexadecimal.
  public static func digest(of tree: URL) throws -> String { digest(of: try files(of: tree)) }

  /// Whether the text is one that a digest can have: 64 hexadecimal digits, small letters.
  public static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
