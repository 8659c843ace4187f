import CoreMLBase
import CoreMLSpec
import Foundation

/// Writes files in the forms in which they are shipped, and makes the files of them again. Exact: a file comes back bit by bit, or an
/// error does. Memory does not grow with the files.
public enum PayloadCodec {
  // MARK: packing

  /// Writes a file's bytes in a form. The same bytes always give the same object.
  ///
  /// - Returns: the object's size and digest.
  @discardableResult
  public static func encode(_ file: URL, as kind: PayloadEncoding, to object: URL) throws -> (
    size: Int64, sha256: String
  ) {
    do {
      return try encode(try Bytes.mapping(file: file.path), as: kind, to: object)
    } catch let error as SpecError {
      throw DeliveryError(error.code == .unwritable ? .unwritable : .unreadable, error.message, file: error.file)
    }
  }

  private static func encode(_ bytes: Bytes, as kind: PayloadEncoding, to object: URL) throws -> (Int64, String) {
    let writer = try FileWriter(path: object.path)
    var sha = SHA256Digest()
    var size: Int64 = 0
    try encode(bytes, as: kind) { piece in
      sha.append(piece)
      size += Int64(piece.count)
      try writer.append(piece)
    }
    try writer.commit()
    return (size, sha.hexadecimal())
  }

  static func encode(
    _ bytes: Bytes, as kind: PayloadEncoding, to sink: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard kind == .raw || !bytes.isEmpty else {
      throw DeliveryError(.cannotPublish, "an empty file is shipped as it is", file: bytes.file)
    }
    let stream = try CompressingStream(kind.filter, level: kind.level(for: bytes.count), to: sink)
    if kind.isShuffled {
      try PlaneShuffle.encode(bytes, try PlaneShuffle.sections(of: bytes)) { try stream.append($0) }
    } else {
      var start = 0
      while start < bytes.count {
        let piece = try bytes.slice(start..<min(start + CompressionFilter.pieceSize, bytes.count))
        try piece.withUnsafeBytes { try stream.append($0) }
        start += piece.count
      }
    }
    try stream.finish()
  }

  /// The form that takes the fewest bytes. Of large files a part is tried. Among forms within 2 % of each other the one that unpacks
  /// fastest is taken.
  public static func bestEncoding(of file: URL) throws -> PayloadEncoding {
    do {
      return try bestEncoding(of: try Bytes.mapping(file: file.path))
    } catch let error as SpecError {
      throw DeliveryError(.unreadable, error.message, file: error.file)
    }
  }

  private static let sampleSize = 2 << 20

  private static func bestEncoding(of bytes: Bytes) throws -> PayloadEncoding {
    guard bytes.count > 64 else { return .raw }
    // The middle: the beginning often has a few small tensors that say little of the rest.
    let start = bytes.count > 2 * sampleSize ? (bytes.count - sampleSize) / 2 / 64 * 64 : 0
    let sample = start == 0 ? bytes : try bytes.slice(start..<start + sampleSize)
    var best = (kind: PayloadEncoding.raw, size: sample.count)
    for kind in PayloadEncoding.fastestFirst where kind != .raw {
      var size = 0
      try encode(sample, as: kind) { size += $0.count }
      if Double(size) < Double(best.size) * 0.98 { best = (kind, size) }
    }
    return best.kind
  }

  // MARK: unpacking

  /// Makes a file of an object: the object's bytes are checked against their digest before they are unpacked, and the file's before it
  /// gets its name.
  ///
  /// - Parameters:
  ///   - object: the file that was fetched.
  ///   - encoding: what the manifest says of it.
  ///   - file: what is to come of it.
  ///   - destination: where; the folder must be there. It is written under a private name first.
  /// - Throws: ``DeliveryError`` `digestMismatch`, `malformedPayload`, `oversizedPayload`, `unreadable`, `unwritable`.
  public static func decode(
    _ object: URL, _ encoding: ShippedFile.Encoding, of file: ShippedFile, to destination: URL
  ) throws {
    try check(object, encoding)
    do {
      let writer = try FileWriter(path: destination.path)
      var sha = SHA256Digest()
      var size: Int64 = 0
      try unpack(object, as: encoding.kind) { piece in
        size += Int64(piece.count)
        guard size <= file.size else {
          throw DeliveryError(
            .oversizedPayload, "the payload gives more than the \(file.size) bytes of '\(file.path)'", file: object.path
          )
        }
        sha.append(piece)
        try writer.append(piece)
      }
      guard size == file.size, sha.hexadecimal() == file.sha256 else {
        throw DeliveryError(
          .digestMismatch, "the payload gives other bytes than those of '\(file.path)'", file: object.path)
      }
      try writer.commit()
    } catch let error as SpecError {
      throw DeliveryError(.unwritable, error.message, file: error.file)
    }
  }

  /// Checks that a fetched object is the one that the manifest means.
  public static func check(_ object: URL, _ encoding: ShippedFile.Encoding) throws {
    var status = stat()
    guard stat(object.path, &status) == 0 else {
      throw DeliveryError(.unreadable, "the object cannot be read", at: object, errno: errno)
    }
    guard status.st_size == encoding.size else {
      throw DeliveryError(
        .digestMismatch, "expected an object of \(encoding.size) bytes, found \(status.st_size)", file: object.path)
    }
    guard try FileDigest(of: object).sha256 == encoding.object else {
      throw DeliveryError(.digestMismatch, "the object's bytes are not those that were published", file: object.path)
    }
  }

  private static func unpack(
    _ object: URL, as kind: PayloadEncoding, to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let stream = try DecompressingStream(kind.filter, file: object)
    if kind.isShuffled { return try PlaneShuffle.decode(stream, file: object.path, to: sink) }
    let buffer = try WorkingMemory.take(CompressionFilter.pieceSize)
    defer { WorkingMemory.giveBack(buffer) }
    while true {
      let count = try stream.read(into: buffer)
      if count == 0 { return }
      try sink(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}
