import CoreMLSpec
import Foundation

/// Small files that several processes read and replace: always whole, also after a crash.
enum DurableFile {
  /// No record is larger.
  static let limit = 4 << 20

  /// Puts a file in its place by renaming, and makes that durable.
  static func write(_ bytes: [UInt8], to url: URL) throws {
    let folder = url.deletingLastPathComponent()
    try Places.makeFolder(folder)
    do {
      let writer = try FileWriter(path: url.path, privateName: Staging.name(in: folder).path)
      try writer.append(bytes)
      try writer.commit()
    } catch let error as SpecError {
      throw DeliveryError(.unwritable, error.message, file: error.file)
    }
    try FolderReplacement.synchronize(folder)
  }

  static func write(json value: some Encodable, to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    try write(Array(try encoder.encode(value)) + Array("\n".utf8), to: url)
  }

  /// Reads a record; nil where there is none.
  static func read<Value: Decodable>(json type: Value.Type, at url: URL) throws -> Value? {
    var status = stat()
    guard stat(url.path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw DeliveryError(.unreadable, "the record cannot be examined", at: url, errno: errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
      throw DeliveryError(.damagedRecord, "expected a record of at most \(limit) bytes", file: url.path)
    }
    guard let data = FileManager.default.contents(atPath: url.path) else {
      // Somebody may have removed it meanwhile.
      if stat(url.path, &status) != 0 { return nil }
      throw DeliveryError(.unreadable, "the record cannot be read", file: url.path)
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    do {
      return try decoder.decode(type, from: data)
    } catch {
      throw DeliveryError(.damagedRecord, "the record is not of the expected form", file: url.path)
    }
  }
}
