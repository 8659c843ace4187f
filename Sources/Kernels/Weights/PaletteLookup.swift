import CKernels
import MIL

/// Entries of palettes by indices; blocks of the indices share a palette. An entry may be a vector, whose elements lie along an axis of
/// the result.
struct PaletteLookup: Sendable {
  let indices: WeightEncoding
  let lut: WeightEncoding
  let isF16: Bool
  let isShort: Bool
  /// One table of 2^bits floats for each palette and element of its vectors.
  let tables: Tensor
  private let bits: Int
  let walk: BlockWalk
  private let vector: Int
  /// Elements behind the vectors' axis, and indices from that axis on.
  private let inner: Int

  /// Nil where an index may lie outside of its palette, or is no plain small integer.
  init?(indices: WeightEncoding, shape: [Int], lut: WeightEncoding, palettes: Int, palette: PaletteShape) throws {
    guard indices.isShort, lut.isExact, let bits = Self.bits(indices) else { return nil }
    (self.indices, self.lut, self.bits) = (indices, lut, bits)
    isShort = lut.isShort
    vector = palette.vectorSize
    inner = palette.vectorAxis.map { shape[($0 + 1)...].reduce(1, *) } ?? 1
    walk = BlockWalk(shape: shape, blocks: palette.blocks)
    let (size, count) = (palette.paletteSize, 1 << bits)
    let (entries, overflow) = palettes.multipliedReportingOverflow(by: vector * count)
    guard size <= count, !overflow, entries <= 1 << 28 else { return nil }
    let values = try lut.floats(count: palettes * size * vector)
    // Passes widen small constants.
    isF16 = lut.isF16 || Self.areF16(values)
    tables = try Tensor.zeros(.float32, shape: [palettes * vector * count])
    guard let target = tables.storage.mutablePointer?.assumingMemoryBound(to: Float.self) else { return nil }
    let source = values.storage.pointer.assumingMemoryBound(to: Float.self)
    for palette in 0..<palettes {
      for entry in 0..<size {
        for element in 0..<vector {
          target[(palette * vector + element) * count + entry] = source[(palette * size + entry) * vector + element]
        }
      }
    }
    if size < count, Self.largest(indices, shape.reduce(1, *)) >= size { return nil }
  }

  /// What tells it from others with these indices and entries.
  var key: [Int] { [bits, vector, inner] + walk.key }

  var byteCount: Int { indices.byteCount + tables.byteCount }

  /// The indices where they are four bits each and give one number each.
  var nibbles: Tensor? {
    guard case .dense(let numbers) = indices, bits == 4, vector == 1 else { return nil }
    return numbers.tensor
  }

  private static func bits(_ indices: WeightEncoding) -> Int? {
    switch indices {
    case .dense(let numbers):
      switch numbers.tensor.scalar {
      case .uint1, .uint2, .uint3, .uint4, .uint6, .uint8: numbers.tensor.scalar.bitWidth
      default: nil
      }
    case .spread(_, let form): bits(form)
    default: nil
    }
  }

  private static func areF16(_ values: Tensor) -> Bool {
    let source = values.storage.pointer.assumingMemoryBound(to: Float.self)
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: WeightEncoding.chunk) { chunk in
      guard let memory = chunk.baseAddress else { return false }
      for at in stride(from: 0, to: values.count, by: WeightEncoding.chunk) {
        let count = min(WeightEncoding.chunk, values.count - at)
        memory.update(from: source + at, count: count)
        ck_round_f16_f32(memory, count)
        guard (0..<count).allSatisfy({ memory[$0] == source[at + $0] }) else { return false }
      }
      return true
    }
  }

  private static func largest(_ indices: WeightEncoding, _ count: Int) -> Int {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: WeightEncoding.chunk) { chunk in
      guard let memory = chunk.baseAddress else { return Int.max }
      var (at, largest) = (0, Float(0))
      while at < count {
        let end = min(at + WeightEncoding.chunk, count)
        indices.decode(at..<end, into: memory)
        for index in 0..<end - at { largest = max(largest, memory[index]) }
        at = end
      }
      return Int(largest)
    }
  }

  // MARK: decoding

  func decode(_ range: Range<Int>, into target: UnsafeMutablePointer<Float>) {
    guard vector > 1 else { return look(range, element: 0, into: target) }
    guard inner > 1 else { return interleave(range, into: target) }
    // A line has one element of the vectors throughout.
    var at = range.lowerBound
    while at < range.upperBound {
      let (line, place) = at.quotientAndRemainder(dividingBy: inner)
      let end = min(range.upperBound, at + inner - place)
      let first = line / vector * inner + place
      look(first..<first + end - at, element: line % vector, into: target + (at - range.lowerBound))
      at = end
    }
  }

  /// One element of the vectors at some indices.
  private func look(_ range: Range<Int>, element: Int, into target: UnsafeMutablePointer<Float>) {
    withExtendedLifetime(tables.storage) {
      let tables = self.tables.storage.pointer.assumingMemoryBound(to: Float.self)
      walk.each(range) { piece, entry, first in
        var (at, entry, left) = (piece.lowerBound, entry, walk.run - first)
        while at < piece.upperBound {
          let end = min(piece.upperBound, at + left)
          let table = tables + ((entry * vector + element) << bits)
          look(at..<end, table, into: target + (at - range.lowerBound))
          (at, entry, left) = (end, entry + 1, walk.run)
        }
      }
    }
  }

  private func look(_ range: Range<Int>, _ table: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>) {
    if case .dense(let numbers) = indices {
      withExtendedLifetime(numbers.tensor.storage) {
        DenseElements.look(bits, numbers.tensor.storage.pointer, range, table, into: target)
      }
    } else {
      indices.decode(range, into: target)
      for index in 0..<range.count { target[index] = table[Int(target[index])] }
    }
  }

  /// Vectors along the last axis: each index gives neighbours.
  private func interleave(_ range: Range<Int>, into target: UnsafeMutablePointer<Float>) {
    let count = 256
    withUnsafeTemporaryAllocation(of: Float.self, capacity: count) { piece in
      guard let memory = piece.baseAddress else { return }
      var first = range.lowerBound / vector
      let last = (range.upperBound + vector - 1) / vector
      while first < last {
        let end = min(first + count, last)
        for element in 0..<vector {
          look(first..<end, element: element, into: memory)
          for index in first..<end where range.contains(index * vector + element) {
            target[index * vector + element - range.lowerBound] = memory[index - first]
          }
        }
        first = end
      }
    }
  }
}
