import CKernels
import MIL

/// Which elements of a sparse tensor are stored, one bit for each element. Counts for each block make ranks fast.
final class SparseMask: Sendable {
  /// uint1, one bit for each element, least significant bit first.
  let tensor: Tensor
  let count: Int
  /// How many bits are set.
  let total: Int
  /// Number of set bits before each block.
  private let before: [Int]

  private static let block = 4096

  /// A mask of any element type.
  init(_ mask: Tensor) throws {
    count = mask.count
    tensor = mask.scalar == .uint1 ? mask : try Self.bits(of: mask)
    var before: [Int] = []
    var total = 0
    let base = tensor.storage.pointer
    for first in stride(from: 0, to: count, by: Self.block) {
      before.append(total)
      total += Self.ones(base, first..<min(first + Self.block, count))
    }
    (self.before, self.total) = (before, total)
  }

  var byteCount: Int { tensor.byteCount + before.count * 8 }

  func isSame(as other: SparseMask) -> Bool {
    guard self !== other else { return true }
    guard count == other.count, total == other.total, before == other.before else { return false }
    return stride(from: 0, to: count, by: 8).allSatisfy { first in
      let places = UInt8(truncatingIfNeeded: (1 << min(count - first, 8)) - 1)
      return byte(first / 8) & places == other.byte(first / 8) & places
    }
  }

  /// The mask with every bit repeated `times` times along an axis. `inner` is the product of the sizes after that axis.
  func repeated(_ times: Int, inner: Int) throws -> SparseMask {
    let result = try Tensor.zeros(.uint1, shape: [count * times])
    guard let target = result.storage.mutablePointer?.assumingMemoryBound(to: UInt8.self) else { return self }
    for place in 0..<count * times {
      let (line, within) = place.quotientAndRemainder(dividingBy: inner)
      if isSet(line / times * inner + within) { target[place / 8] |= 1 << UInt8(place % 8) }
    }
    return try SparseMask(result)
  }

  private static func bits(of mask: Tensor) throws -> Tensor {
    let result = try Tensor.zeros(.uint1, shape: [mask.count])
    guard let target = result.storage.mutablePointer?.assumingMemoryBound(to: UInt8.self) else { return result }
    for (index, value) in try mask.doubles().enumerated() where value != 0 {
      target[index / 8] |= 1 << UInt8(index % 8)
    }
    return result
  }

  // MARK: bits

  private func byte(_ index: Int) -> UInt8 { tensor.storage.pointer.load(fromByteOffset: index, as: UInt8.self) }

  private func isSet(_ index: Int) -> Bool { byte(index / 8) >> UInt8(index % 8) & 1 != 0 }

  /// How many bits of `range` are set. The range begins at a multiple of 8.
  private static func ones(_ base: UnsafeRawPointer, _ range: Range<Int>) -> Int {
    var (ones, first) = (0, range.lowerBound)
    while first + 64 <= range.upperBound {
      ones += base.loadUnaligned(fromByteOffset: first / 8, as: UInt64.self).nonzeroBitCount
      first += 64
    }
    while first < range.upperBound {
      let places = UInt8(truncatingIfNeeded: (1 << min(range.upperBound - first, 8)) - 1)
      ones += (base.load(fromByteOffset: first / 8, as: UInt8.self) & places).nonzeroBitCount
      first += 8
    }
    return ones
  }

  /// How many bits before `index` are set.
  private func rank(_ index: Int) -> Int {
    guard index < count else { return total }
    let block = index / Self.block
    return before[block] + Self.ones(tensor.storage.pointer, block * Self.block..<index)
  }

  // MARK: decoding

  func spread(_ values: WeightEncoding, _ range: Range<Int>, into target: UnsafeMutablePointer<Float>) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: WeightEncoding.piece) { piece in
      guard let memory = piece.baseAddress else { return }
      var at = range.lowerBound
      while at < range.upperBound {
        let end = min(range.upperBound, at + WeightEncoding.piece)
        values.decode(rank(at)..<rank(end), into: memory)
        _ = ck_spread_f32(
          tensor.storage.pointer.assumingMemoryBound(to: UInt8.self), at, memory, target + (at - range.lowerBound),
          end - at)
        at = end
      }
    }
  }

  func clear(_ range: Range<Int>, in target: UnsafeMutablePointer<Float>) {
    for index in range where !isSet(index) { target[index - range.lowerBound] = 0 }
  }

  /// Writes the values of `form` at the set bits whose ranks are in `range`.
  func gather(_ form: WeightEncoding, _ range: Range<Int>, into target: UnsafeMutablePointer<Float>) {
    guard !range.isEmpty else { return }
    // Find the last block with at most `range.lowerBound` set bits before it.
    var (block, high) = (0, before.count)
    while high - block > 1 {
      let middle = (block + high) / 2
      if before[middle] <= range.lowerBound { block = middle } else { high = middle }
    }
    withUnsafeTemporaryAllocation(of: Float.self, capacity: WeightEncoding.piece) { piece in
      guard let memory = piece.baseAddress else { return }
      var (number, at) = (before[block], block * Self.block)
      while number < range.upperBound, at < count {
        let elements = at..<min(at + WeightEncoding.piece, count)
        form.decode(elements, into: memory)
        for element in elements where isSet(element) {
          if range.contains(number) { target[number - range.lowerBound] = memory[element - at] }
          number += 1
        }
        at = elements.upperBound
      }
    }
  }
}
