/// An encoding in which a file is shipped. All encodings are lossless.
public enum PayloadEncoding: String, Sendable, Codable, CaseIterable {
  /// Unmodified bytes.
  case raw
  /// Compressed with bzip2.
  case bzip2
  /// Compressed with xz.
  case xz
  /// Compressed with zstd.
  case zstd
  /// Byte planes of the elements (`PlaneShuffle`), compressed with bzip2.
  case planesBzip2 = "planes+bzip2"
  /// Byte planes as in ``planesBzip2``, compressed with xz.
  case planesXZ = "planes+xz"
  /// Byte planes as in ``planesBzip2``, compressed with zstd.
  case planesZstd = "planes+zstd"

  /// The encodings by decoding speed.
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

  /// Returns the compression level for a file of `count` bytes.
  ///
  /// Byte planes contain only accidental repetitions, which cost more than entropy coding of the bytes. For planes,
  /// zstd's lowest level compresses better than all but its slowest levels, at the speed of a disk.
  func level(for count: Int) -> Int {
    switch self {
    case .zstd: count <= 8 << 20 ? 19 : 9
    case .planesZstd: 1
    case .xz, .planesXZ: 6
    default: 9
    }
  }
}
