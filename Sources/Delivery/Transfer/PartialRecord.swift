import Foundation

/// The record of a partial file: the source of its bytes, and how many of them are synchronized.
struct PartialRecord: Codable, Hashable {
  static let version = 2

  var version = Self.version
  /// The source URL for display. Credentials and queries are not stored, because queries may contain keys.
  var url: String
  /// Identifies the source URL: ``Foundation/URL/placeDigest``.
  var place: String
  /// The strong validator of the response that the bytes came from.
  var validator: String?
  /// The total size, if the host declared it.
  var total: Int64?
  /// The required SHA-256 of the whole file, if it is known.
  var expected: String?
  /// The number of synchronized bytes; `durableSHA256` is their SHA-256.
  var durable: Int64 = 0
  var durableSHA256 = ""

  /// Reads a record written by this user; nil if it is unusable.
  static func read(_ path: String) -> PartialRecord? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, PartialFolder.isOwn(status), let data = try? file.read(upToCount: 1 << 16),
      let record = try? JSONDecoder().decode(Self.self, from: data), record.version == version, record.durable >= 0
    else { return nil }
    return record
  }

  /// Returns whether a transfer can resume from these bytes. Either the digest of the whole file is known, or the host
  /// can verify that the file is unchanged.
  func serves(_ item: TransferItem) -> Bool {
    if let size = item.size, let total, size != total { return false }
    if let sha256 = item.sha256 { return expected == sha256 || (expected == nil && isGuarded(for: item)) }
    return isGuarded(for: item)
  }

  private func isGuarded(for item: TransferItem) -> Bool { validator != nil && source(in: item) != nil }

  /// Returns the mirror that the bytes came from; nil if the item does not list it.
  func source(in item: TransferItem) -> URL? { item.mirrors.first { $0.placeDigest == place } }
}

extension PartialRecord {
  init(
    url: URL, validator: String?, total: Int64?, expected: String?, durable: Int64 = 0, durableSHA256: String = ""
  ) {
    self.init(
      url: url.display, place: url.placeDigest, validator: validator, total: total, expected: expected,
      durable: durable, durableSHA256: durableSHA256)
  }
}

extension URL {
  /// A digest of the URL without its credentials and fragment, to identify the location.
  package var placeDigest: String {
    var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
    components?.user = nil
    components?.password = nil
    components?.fragment = nil
    return FetchRecords.name(for: [components?.string ?? display])
  }
}
