/// A form in which a file's bytes are shipped. All are exact.
public enum PayloadEncoding: String, Sendable, Codable, CaseIterable {
  /// As it is.
  case raw
  /// Compressed with bzip2.
  case bzip2
  /// Compressed with xz.
  case xz
  /// Compressed with zstd.
  case zstd
  /// The bytes of numbers sorted by their place in the number, then compressed.
  case planesBzip2 = "planes+bzip2"
  /// Sorted as for ``planesBzip2``, then compressed with xz.
  case planesXZ = "planes+xz"
  /// Sorted as for ``planesBzip2``, then compressed with zstd.
  case planesZstd = "planes+zstd"

  /// By how fast they unpack.
  static let fastestFirst: [PayloadEncoding] = [.raw, .zstd, .planesZstd, .xz, .planesXZ, .bzip2, .planesBzip2]

  var isShuffled: Bool {
    switch self {
    case .planesBzip2, .planesXZ, .planesZstd: true
    default: false
    }
  }

  var filter: CompressionFilter {
    switch self {
    case .raw: .none
    case .bzip2, .planesBzip2: .bzip2
    case .xz, .planesXZ: .xz
    case .zstd, .planesZstd: .zstd
    }
  }

  /// The compressor's effort for so many bytes.
  ///
  /// Sorted numbers hold no repetitions but accidental ones, and these cost more than the bytes' own codes: of zstd's levels the one that
  /// searches least gives the fewest bytes but for the slowest, and does so at the speed of a disk.
  func level(for count: Int) -> Int {
    switch self {
    case .zstd: count <= 8 << 20 ? 19 : 9
    case .planesZstd: 1
    case .xz, .planesXZ: 6
    default: 9
    }
  }
}
