import CoreMLBase
import CoreMLSpec
import Foundation

/// Small files that several processes read and replace. Readers always see a complete file, even after a crash.
enum DurableFile {
  /// The maximum size of a record in bytes.
  static let limit = 4 << 20

  /// Writes a file atomically and durably.
  ///
  /// - Parameter drafts: the folder of the temporary file, on the same file system; nil uses the folder of `url`.
  static func write(_ bytes: [UInt8], to url: URL, mode: mode_t = 0o644, drafts: URL? = nil) throws {
    let folder = url.deletingLastPathComponent()
    try DeliveryDirectories.makeFolder(folder)
    if let drafts { try DeliveryDirectories.makeFolder(drafts) }
    do {
      let writer = try FileWriter(path: url.path, privateName: Staging.name(in: drafts ?? folder).path, mode: mode)
      try writer.append(bytes)
      try writer.commit(namingDurably: false)
    } catch let error as SpecError {
      throw DeliveryError(.unwritable, error.message, file: error.file)
    }
    try FolderReplacement.synchronize(folder)
  }

  /// Writes a JSON record. By default only its owner can read it.
  static func write(json value: some Encodable, to url: URL, mode: mode_t = 0o600, drafts: URL? = nil) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    try write(Array(try encoder.encode(value)) + Array("\n".utf8), to: url, mode: mode, drafts: drafts)
  }

  /// Reads a record; nil if it does not exist.
  ///
  /// - Throws: ``DeliveryError`` `untrusted` if other users could have written it; `damagedRecord`, `unreadable`.
  static func read<Value: Decodable>(json type: Value.Type, at url: URL) throws -> Value? {
    guard let bytes = try bytes(of: url) else { return nil }
    return try decode(type, bytes, url)
  }

  /// Reads a record that states its format. A newer format is not treated as damage, regardless of the rest of the
  /// record.
  ///
  /// - Throws: ``DeliveryError`` as for other records; `unreadable` for a newer format.
  static func read<Value: FormattedRecord>(formatted type: Value.Type, at url: URL) throws -> Value? {
    guard let bytes = try bytes(of: url) else { return nil }
    if let head = try? JSONDecoder().decode(Head.self, from: bytes), head.format > Value.format {
      let known = "its format is \(head.format), and \(Value.format) is the newest that is known here"
      throw DeliveryError(.unreadable, "the record was made by a later release: \(known)", file: url.path)
    }
    let record = try decode(type, bytes, url)
    guard record.format == Value.format else { throw damage(url) }
    return record
  }

  /// The part that records of all formats have in common.
  private struct Head: Decodable { let format: Int }

  private static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: Data, _ url: URL) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    do { return try decoder.decode(type, from: bytes) } catch { throw damage(url) }
  }

  private static func damage(_ url: URL) -> DeliveryError {
    DeliveryError(.damagedRecord, "the record is not of the expected form", file: url.path)
  }

  private static func bytes(of url: URL) throws -> Data? {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT, ENOTDIR: return nil
      case ELOOP: throw DeliveryError(.untrusted, "the record is not used: expected no symbolic link", file: url.path)
      default: throw DeliveryError(.unreadable, "the record cannot be examined", at: url, errno: errno)
      }
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
      throw DeliveryError(.damagedRecord, "expected a record of at most \(limit) bytes", file: url.path)
    }
    let trust = FileTrust.process
    if let reason = trust.refusal(of: status, as: .record) {
      throw DeliveryError(.untrusted, "the record is not used: \(reason)", file: url.path)
    }
    try trust.require(folder: url.deletingLastPathComponent(), followingLink: true)
    guard let bytes = OpenFile.bytes(descriptor, limit: limit) else {
      throw DeliveryError(.unreadable, "the record cannot be read", at: url, errno: errno)
    }
    return Data(bytes)
  }
}

/// A record that states its format. Only releases that know the format can read the rest.
protocol FormattedRecord: Decodable {
  static var format: Int { get }
  var format: Int { get }
}
