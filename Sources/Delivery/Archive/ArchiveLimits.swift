/// What an archive may hold at most.
public struct ArchiveLimits: Sendable, Hashable {
  /// Bytes, unpacked.
  public var bytes: Int64
  /// Files and folders.
  public var entries: Int
  /// Components of a path.
  public var depth: Int
  /// Bytes unpacked for each byte of the archive; below ``freeBytes`` it does not count.
  public var ratio: Int64
  /// Bytes that every archive may unpack to, whatever its ratio.
  public var freeBytes: Int64

  /// The limits of archives from strangers: 32 GiB, 10,000 entries, 16 components, 200 to 1, and 64 MiB free, unless told otherwise.
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
