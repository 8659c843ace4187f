/// A form in which a file's bytes are shipped. All are exact.
public enum PayloadEncoding: String, Sendable, Codable, CaseIterable {
  /// As it is.
  case raw
  case bzip2
  case xz
  case zstd
  /// The bytes of numbers sorted by their place in the number (``PlaneShuffle``), then compressed.
  case planesBzip2 = "planes+bzip2"
  case planesXZ = "planes+xz"
  case planesZstd = "planes+zstd"
}
