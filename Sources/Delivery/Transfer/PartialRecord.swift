import Foundation

/// What stands beside a partial file: what its bytes are, and which of them are known to be on disk.
struct PartialRecord: Codable, Hashable {
  static let version = 2

  var version = Self.version
  /// Where the bytes came from, for people: names, passwords and queries, which may be keys, are not written down.
  var url: String
  /// What tells the place from others: ``Foundation/URL/placeDigest``.
  var place: String
  /// The strong validator that they came under.
  var validator: String?
  /// The size of the whole, where the host told.
  var total: Int64?
  /// The SHA-256 that the whole must have, where it is known.
  var expected: String?
  /// So many bytes are on disk, and this is their SHA-256.
  var durable: Int64 = 0
  var durableSHA256 = ""

  /// Reads a record that this user wrote; nil when it cannot be used.
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

  /// Whether a transfer can go on from these bytes: it knows what the whole must be, or the host can say whether they still hold.
  func serves(_ item: TransferItem) -> Bool {
    if let size = item.size, let total, size != total { return false }
    if let sha256 = item.sha256 { return expected == sha256 || (expected == nil && isGuarded(for: item)) }
    return isGuarded(for: item)
  }

  private func isGuarded(for item: TransferItem) -> Bool { validator != nil && source(in: item) != nil }

  /// The mirror that the bytes came from, where it is one of the item's.
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
  /// What tells the place that a URL means from others: a digest, of everything but the name, the password and the fragment.
  package var placeDigest: String {
    var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
    components?.user = nil
    components?.password = nil
    components?.fragment = nil
    return FetchRecords.name(for: [components?.string ?? display])
  }
}
