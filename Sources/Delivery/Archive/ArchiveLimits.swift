/// Limits on the content of an archive.
public struct ArchiveLimits: Sendable, Hashable {
  /// The maximum unpacked size in bytes.
  public var bytes: Int64
  /// The maximum number of files and folders.
  public var entries: Int
  /// The maximum number of path components.
  public var depth: Int
  /// The maximum ratio of unpacked to packed size. It applies only above ``freeBytes``.
  public var ratio: Int64
  /// The unpacked size in bytes that is permitted regardless of the ratio.
  public var freeBytes: Int64

  /// Creates limits. The defaults suit untrusted archives: 32 GiB, 10,000 entries, 16 components, a ratio of 200, and
  /// 64 MiB regardless of the ratio.
  public init(
    bytes: Int64 = 32 << 30, entries: Int = 10_000, depth: Int = 16, ratio: Int64 = 200, freeBytes: Int64 = 64 << 20
  ) {
    self.bytes = bytes
    self.entries = entries
    self.depth = depth
    self.ratio = ratio
    self.freeBytes = freeBytes
  }
}
