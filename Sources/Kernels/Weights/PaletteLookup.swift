import CKernels
import MIL

/// Entries of palettes, looked up by indices. Blocks of the indices share a palette. An entry may be a vector, whose
/// elements are laid out along one axis of the result.
struct PaletteLookup: Sendable {
  let indices: WeightEncoding
  let lut: WeightEncoding
  let isF16: Bool
  let isShort: Bool
  /// One table of 2^bits fp32 elements for each palette and each element of its vectors.
  let tables: Tensor
  private let bits: Int
  let walk: BlockWalk
  private let vector: Int
  /// The product of the sizes of the axes after the vector axis.
  private let inner: Int

  /// Nil if an index may be outside of its palette, or if the indices are not plain small integers.
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
    // Passes widen small constants to fp32, so their values are inspected.
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

  /// Distinguishes this lookup from others with the same indices and entries.
  var key: [Int] { [bits, vector, inner] + walk.key }

  var byteCount: Int { indices.byteCount + tables.byteCount }

  /// The indices, if each has four bits and selects a single element.
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
    // One line along the vector axis uses the same vector element throughout.
    var at = range.lowerBound
    while at < range.upperBound {
      let (line, place) = at.quotientAndRemainder(dividingBy: inner)
      let end = min(range.upperBound, at + inner - place)
      let first = line / vector * inner + place
      look(first..<first + end - at, element: line % vector, into: target + (at - range.lowerBound))
      at = end
    }
  }

  /// Looks up one element of the vectors for a range of indices.
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

  /// Vectors along the last axis: each index yields consecutive elements.
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
