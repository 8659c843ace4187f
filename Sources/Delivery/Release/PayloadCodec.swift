import CoreMLBase
import CoreMLSpec
import Foundation

/// Encodes files for distribution and decodes them again. Encodings are lossless, and decoding verifies every byte.
/// Memory use does not depend on the size of the files.
public enum PayloadCodec {
  // MARK: encoding

  /// Encodes a file. Equal bytes always encode to equal objects.
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

  /// Returns the encoding with the smallest result, estimated from a sample for large files. Of encodings within 2 % of
  /// each other, the one that decodes fastest is selected.
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
    // The sample is from the middle. The beginning often contains a few small tensors that do not represent the rest.
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

  // MARK: decoding

  /// Decodes an object into a file. The object's digest is verified before decoding, and the file's digest before the
  /// file gets its final name.
  ///
  /// - Parameters:
  ///   - object: the downloaded file.
  ///   - encoding: the object's entry in the manifest.
  ///   - file: the expected decoded file.
  ///   - destination: the path of the decoded file, in an existing folder. The data is first written under a temporary
  ///     name.
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

  /// Verifies a downloaded object's size and digest against the manifest.
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
