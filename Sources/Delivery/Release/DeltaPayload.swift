import CoreMLBase
import CoreMLSpec
import Foundation

/// A delta between two trees: the ranges copied from old files, and the new bytes.
///
/// The format is: "CMLDELTA", the size of a table (u32), the table in JSON, the new bytes. A delta is shipped in a
/// ``PayloadEncoding`` like any file.
public enum DeltaPayload {
  static let magic = Array("CMLDELTA".utf8)
  static let tableLimit = 16 << 20

  struct Table: Codable, Equatable {
    struct File: Codable, Equatable {
      var path: String
      /// Triples of source, offset and count, in bytes. Source 0 is the new bytes, consumed in order; source n is the
      /// n-th entry of `bases`.
      var pieces: [Int]
    }
    /// The paths of the old tree's files.
    var bases: [String]
    var files: [File]
  }

  /// Creates the files of a variant from an older tree, in an empty folder. The digest of each file is verified; a
  /// mismatch means that the old tree is not the delta's base.
  ///
  /// - Parameters:
  ///   - payload: the decoded delta.
  ///   - base: the folder of the old tree.
  ///   - folder: an existing folder; files written before an error remain in it.
  /// - Throws: ``DeliveryError`` `deltaBase`, after which the caller must fetch the whole files; `malformedPayload`,
  ///   `unwritable`.
  public static func apply(_ payload: URL, to base: URL, making files: [ShippedFile], in folder: URL) throws {
    do {
      let bytes = try Bytes.mapping(file: payload.path)
      let (table, literals) = try read(bytes)
      let bases = try table.bases.map { path in
        guard let relative = RelativePath(path) else {
          throw malformed("names the old file '\(path.prefix(100))'", payload)
        }
        do {
          return try Bytes.mapping(file: relative.below(base.path))
        } catch {
          throw DeliveryError(.deltaBase, "the old tree has no file '\(path)' that can be read", file: base.path)
        }
      }
      let described = Dictionary(table.files.map { ($0.path, $0.pieces) }, uniquingKeysWith: { first, _ in first })
      guard described.count == files.count, described.count == table.files.count else {
        throw malformed("makes \(table.files.count) files and not \(files.count)", payload)
      }
      // The new bytes are stored in the order of the table's files.
      var used = 0
      let wanted = Dictionary(files.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
      for entry in table.files {
        guard let file = wanted[entry.path] else { throw malformed("makes '\(entry.path.prefix(100))'", payload) }
        try make(file, entry.pieces, bases, literals, &used, below: folder)
      }
    } catch let error as SpecError {
      throw DeliveryError(error.code == .unwritable ? .unwritable : .malformedPayload, error.message, file: error.file)
    }
  }

  private static func malformed(_ sentence: String, _ file: URL) -> DeliveryError {
    DeliveryError(.malformedPayload, "the delta \(sentence)", file: file.path)
  }

  static func read(_ bytes: Bytes) throws -> (Table, literals: Bytes) {
    let head = magic.count + 4
    guard bytes.count >= head, try bytes.slice(0..<magic.count).array == magic else {
      throw DeliveryError(.malformedPayload, "expected a delta, found something else", file: bytes.file)
    }
    let size = try bytes.load(UInt32.self, at: magic.count)
    guard size <= tableLimit else {
      throw DeliveryError(.malformedPayload, "the delta has a table of \(size) bytes", file: bytes.file)
    }
    let text = try bytes.slice(at: UInt64(head), count: UInt64(size))
    let table = try DocumentJSON.decode(Table.self, Data(text.array), .malformedPayload, document: "delta")
    return (table, try bytes.slice(head + text.count..<bytes.count))
  }

  private static func make(
    _ file: ShippedFile, _ pieces: [Int], _ bases: [Bytes], _ literals: Bytes, _ used: inout Int, below folder: URL
  ) throws {
    guard let relative = RelativePath(file.path), pieces.count % 3 == 0 else {
      throw DeliveryError(.malformedPayload, "the delta does not say what '\(file.path)' consists of")
    }
    let destination = URL(filePath: relative.below(folder.path))
    try DeliveryDirectories.makeFolder(destination.deletingLastPathComponent())
    let writer = try FileWriter(path: destination.path)
    var sha = SHA256Digest()
    var size: Int64 = 0
    for first in stride(from: 0, to: pieces.count, by: 3) {
      let (source, offset, count) = (pieces[first], pieces[first + 1], pieces[first + 2])
      guard offset >= 0, count >= 0, source >= 0, source <= bases.count, Int64(count) <= file.size - size else {
        throw DeliveryError(.malformedPayload, "the delta has an impossible piece of '\(file.path)'")
      }
      let piece: Bytes
      if source == 0 {
        piece = try literals.slice(at: UInt64(used), count: UInt64(count))
        used += count
      } else {
        do {
          piece = try bases[source - 1].slice(at: UInt64(offset), count: UInt64(count))
        } catch {
          throw DeliveryError(.deltaBase, "the old tree is not the one that the delta of '\(file.path)' was made for")
        }
      }
      try piece.withUnsafeBytes {
        sha.append($0)
        try writer.append($0)
      }
      size += Int64(count)
    }
    guard size == file.size, sha.hexadecimal() == file.sha256 else {
      throw DeliveryError(.deltaBase, "the old tree is not the one that the delta of '\(file.path)' was made for")
    }
    try writer.commit()
  }
}
