import CoreMLBase
import CoreMLSpec
import Foundation

/// Finds the byte ranges that a new tree has in common with an old one.
///
/// The old files are indexed by hashes of fixed-size blocks. A rolling hash finds these blocks at every byte offset of
/// the new files, and each match is extended in both directions. So unchanged tensors are found in any file format,
/// even if they moved. Bytes are compared, so the result does not depend on the hash.
struct DeltaMaker {
  private static let block = 1024
  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

  private let bases: [(path: String, bytes: Bytes)]
  /// Block index + 1, by hash; 0 marks an empty slot. Block indices are consecutive across all files.
  private var slots: [UInt32]
  private let shift: UInt64
  /// The index of each file's first block.
  private var firstBlocks: [Int] = []
  /// `factor` to the power of `block`: the weight of the byte that leaves the rolling window.
  private let leaving: UInt64

  init(bases: [(path: String, bytes: Bytes)]) {
    self.bases = bases
    var count = 0
    for base in bases {
      firstBlocks.append(count)
      count += base.bytes.count / Self.block
    }
    var bits: UInt64 = 10
    while 1 << bits < count * 2 { bits += 1 }
    slots = [UInt32](repeating: 0, count: 1 << Int(bits))
    shift = 64 - bits
    leaving = (0..<Self.block).reduce(1 as UInt64) { product, _ in product &* Self.factor }
    for (file, base) in bases.enumerated() {
      base.bytes.withUnsafeBytes { bytes in
        for index in 0..<bytes.count / Self.block {
          insert(Self.hash(bytes, at: index * Self.block), UInt32(firstBlocks[file] + index + 1))
        }
      }
    }
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
    var hash: UInt64 = 0
    for byte in bytes[offset..<offset + block] { hash = hash &* factor &+ UInt64(byte) &+ 1 }
    return hash
  }

  private func slot(_ hash: UInt64) -> Int { Int((hash &* 0xD6E8_FEB8_6659_FD93) >> shift) }

  /// On a collision the first block is kept. Equal blocks (such as zeros) are frequent, and one of them is sufficient.
  private mutating func insert(_ hash: UInt64, _ number: UInt32) {
    let index = slot(hash)
    if slots[index] == 0 { slots[index] = number }
  }

  /// Returns the content of a new file as triples; see ``DeltaPayload/Table/File/pieces``.
  func pieces(of target: Bytes) -> [Int] {
    var pieces: [Int] = []
    func add(_ source: Int, _ offset: Int, _ count: Int) {
      if count > 0 { pieces += [source, offset, count] }
    }
    target.withUnsafeBytes { bytes in
      var pending = 0
      var position = 0
      let last = bytes.count - Self.block
      var hash = last >= 0 ? Self.hash(bytes, at: 0) : 0
      while position <= last {
        if let match = match(bytes, position, pending, hash) {
          add(0, 0, match.range.lowerBound - pending)
          add(match.file + 1, match.offset, match.range.count)
          position = match.range.upperBound
          pending = position
          if position <= last { hash = Self.hash(bytes, at: position) }
        } else {
          if position < last {
            hash =
              hash &* Self.factor &+ UInt64(bytes[position + Self.block]) &+ 1
              &- (UInt64(bytes[position]) &+ 1) &* leaving
          }
          position += 1
        }
      }
      add(0, 0, bytes.count - pending)
    }
    return pieces
  }

  /// Returns the longest common range around a position where an old block begins. Bytes before `pending` are covered
  /// already.
  private func match(
    _ bytes: UnsafeRawBufferPointer, _ position: Int, _ pending: Int, _ hash: UInt64
  ) -> (file: Int, offset: Int, range: Range<Int>)? {
    let number = Int(slots[slot(hash)]) - 1
    guard number >= 0, let file = firstBlocks.lastIndex(where: { $0 <= number }) else { return nil }
    let start = (number - firstBlocks[file]) * Self.block
    return bases[file].bytes.withUnsafeBytes { old in
      guard let a = old.baseAddress, let b = bytes.baseAddress, start + Self.block <= old.count,
        memcmp(a + start, b + position, Self.block) == 0
      else { return nil }
      var (end, oldEnd) = (position + Self.block, start + Self.block)
      while end < bytes.count, oldEnd < old.count, old[oldEnd] == bytes[end] {
        end += 1
        oldEnd += 1
      }
      var (begin, oldBegin) = (position, start)
      while begin > pending, oldBegin > 0, old[oldBegin - 1] == bytes[begin - 1] {
        begin -= 1
        oldBegin -= 1
      }
      return (file, oldBegin, begin..<end)
    }
  }
}

extension DeltaPayload {
  /// Writes the delta from one tree to another. The output is deterministic.
  ///
  /// - Parameters:
  ///   - base: the old tree's files by path.
  ///   - target: the new tree's files by path.
  public static func make(
    from base: [(path: String, url: URL)], to target: [(path: String, url: URL)], at destination: URL
  ) throws {
    do {
      let order: ((path: String, url: URL), (path: String, url: URL)) -> Bool = {
        $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
      }
      let bases = try base.sorted(by: order).map { (path: $0.path, bytes: try Bytes.mapping(file: $0.url.path)) }
      let maker = DeltaMaker(bases: bases)
      var table = Table(bases: bases.map(\.path), files: [])
      let targets = try target.sorted(by: order).map { ($0.path, try Bytes.mapping(file: $0.url.path)) }
      for (path, bytes) in targets {
        // A file smaller than a block is not indexed, but may be identical to an old file.
        if let same = bases.firstIndex(where: { $0.bytes == bytes }) {
          table.files.append(.init(path: path, pieces: bytes.isEmpty ? [] : [same + 1, 0, bytes.count]))
        } else {
          table.files.append(.init(path: path, pieces: maker.pieces(of: bytes)))
        }
      }
      let text = try DocumentJSON.encode(table)
      guard text.count <= tableLimit else {
        throw DeliveryError(.cannotPublish, "the trees have too many small ranges in common for a delta")
      }
      let writer = try FileWriter(path: destination.path)
      try writer.append(magic)
      try withUnsafeBytes(of: UInt32(text.count).littleEndian) { try writer.append($0) }
      try writer.append([UInt8](text))
      for (file, (_, bytes)) in zip(table.files, targets) {
        var position = 0
        for first in stride(from: 0, to: file.pieces.count, by: 3) {
          let count = file.pieces[first + 2]
          if file.pieces[first] == 0 {
            try bytes.slice(position..<position + count).withUnsafeBytes { try writer.append($0) }
          }
          position += count
        }
      }
      try writer.commit()
    } catch let error as SpecError {
      throw DeliveryError(error.code == .unwritable ? .unwritable : .unreadable, error.message, file: error.file)
    }
  }
}
