import CoreMLBase
import CoreMLSpec
import CPlatform
import Foundation

extension PlaneShuffle {
  /// Returns the sections of a file. Weight files state the types of their entries; for other files the layout is
  /// estimated from the bytes.
  static func sections(of bytes: Bytes) throws -> [Section] {
    if let sections = blobSections(bytes) { return sections }
    return try guessedSections(bytes)
  }

  /// Appends a section, merging it with the previous one if both have the same layout.
  private static func append(_ section: Section, to sections: inout [Section]) {
    if let last = sections.last {
      if last.end >= section.end { return }
      if last.stride == section.stride && last.rotated == section.rotated {
        sections[sections.count - 1].end = section.end
        return
      }
    }
    if section.end > 0 { sections.append(section) }
  }

  // MARK: weight files

  /// Visits the contiguous entries of a weight file. Returns nil if the bytes are not entirely such a file.
  private static func blobSections(_ bytes: Bytes) -> [Section]? {
    guard let file = try? BlobFile(bytes), file.statedCount > 0 else { return nil }
    var sections: [Section] = []
    var offset = 64
    while offset < bytes.count {
      guard let entry = try? file.entry(atMetadataOffset: UInt64(offset)),
        entry.data.offset - bytes.offset == offset + 64
      else { return nil }
      let end = (offset + 64 + entry.data.count + 63) / 64 * 64
      append(section(of: entry.dataType, end: min(end, bytes.count)), to: &sections)
      offset = end
    }
    return sections
  }

  private static func section(of type: BlobDataType, end: Int) -> Section {
    switch type {
    case .float32: Section(end: end, stride: 4, rotated: true)
    case .float16, .bfloat16: Section(end: end, stride: 2, rotated: true)
    case .int32, .uint32: Section(end: end, stride: 4, rotated: false)
    case .int16, .uint16: Section(end: end, stride: 2, rotated: false)
    default: Section(end: end, stride: 1, rotated: false)
    }
  }

  // MARK: other files

  private static let window = 1 << 16

  /// Estimates an element size of 4 or 2 bytes for each window: one byte of each element has low entropy. That byte is
  /// taken as the last byte of the element, because floating-point formats store the exponent there.
  private static func guessedSections(_ bytes: Bytes) throws -> [Section] {
    var sections: [Section] = []
    var counts = [UInt32](repeating: 0, count: 1024)
    var start = 0
    var current = Section(end: 0, stride: 1, rotated: false)
    while start < bytes.count {
      let piece = try bytes.slice(start..<min(start + window, bytes.count))
      for i in counts.indices { counts[i] = 0 }
      piece.withUnsafeBytes { source in
        if let base = source.baseAddress?.assumingMemoryBound(to: UInt8.self) {
          cplatform_count_bytes(base, source.count, &counts)
        }
      }
      let (stride, phase) = guess(counts)
      // The previous section extends to the first complete element of this window.
      current.end = min(start + phase, bytes.count)
      append(current, to: &sections)
      current = Section(end: bytes.count, stride: stride, rotated: stride > 1)
      start += piece.count
    }
    current.end = bytes.count
    append(current, to: &sections)
    return sections
  }

  /// - Returns: the element size, and the offset of the first complete element in the window.
  private static func guess(_ counts: [UInt32]) -> (stride: Int, phase: Int) {
    /// Returns the entropy of the combined bytes at some offsets modulo 4.
    func together(_ places: [Int]) -> Double {
      var sum = [UInt32](repeating: 0, count: 256)
      for place in places {
        for value in 0..<256 { sum[value] &+= counts[place * 256 + value] }
      }
      return bits(sum)
    }
    let single = (0..<4).map { together([$0]) }
    let pairs = [together([0, 2]), together([1, 3])]
    let all = together([0, 1, 2, 3])
    let four = single.reduce(0, +)
    let two = pairs.reduce(0, +)
    // Shuffling must pay off. Text, for example, is equally distributed at all offsets and compresses better
    // unmodified.
    guard min(two, four) < all * 0.97 else { return (1, 0) }
    if four < two * 0.99 { return (4, ((single.indices.min { single[$0] < single[$1] } ?? 3) + 1) % 4) }
    return (2, pairs[0] < pairs[1] ? 1 : 0)
  }

  /// Returns the entropy of a byte distribution, in bits for all bytes.
  private static func bits(_ counts: [UInt32]) -> Double {
    var (total, sum) = (0.0, 0.0)
    for count in counts where count > 0 {
      let count = Double(count)
      total += count
      sum += count * log2(count)
    }
    return total > 0 ? total * log2(total) - sum : 0
  }
}
