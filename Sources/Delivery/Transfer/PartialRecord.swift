import Foundation

/// What stands beside a partial file: what its bytes are, and which of them are known to be on disk.
struct PartialRecord: Codable, Hashable {
  static let version = 1

  var version = Self.version
  /// Where the bytes came from.
  var url: URL
  /// The strong validator that they came under.
  var validator: String?
  /// The size of the whole, where the host told.
  var total: Int64?
  /// The SHA-256 that the whole must have, where it is known.
  var expected: String?
  /// So many bytes are on disk, and this is their SHA-256.
  var durable: Int64 = 0
  var durableSHA256 = ""

  /// Reads a record; nil when it cannot be used.
  static func read(_ path: String) -> PartialRecord? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let data = try? file.read(upToCount: 1 << 16), let record = try? JSONDecoder().decode(Self.self, from: data),
      record.version == version, record.durable >= 0
    else { return nil }
    return record
  }

  /// Whether a transfer can go on from these bytes: it knows what the whole must be, or the host can say whether they still hold.
  func serves(_ item: TransferItem) -> Bool {
    if let size = item.size, let total, size != total { return false }
    if let sha256 = item.sha256 { return expected == sha256 || (expected == nil && isGuarded(for: item)) }
    return isGuarded(for: item)
  }

  private func isGuarded(for item: TransferItem) -> Bool { validator != nil && item.mirrors.contains(url) }
}
