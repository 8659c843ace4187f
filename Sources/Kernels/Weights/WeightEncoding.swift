import CKernels
import MIL

/// How the values of a stored weight are computed from constants of a file. Every encoding can decode any range.
indirect enum WeightEncoding: Sendable {
  /// Plain elements.
  case dense(DenseElements)
  /// Each value rounded to fp16.
  case rounded(WeightEncoding)
  /// Entries of palettes, by indices.
  case palette(PaletteLookup)
  /// Shifted and scaled in blocks.
  case scaled(BlockScale)
  /// The next stored value where the mask is set, 0 elsewhere.
  case spread(SparseMask, WeightEncoding)
  /// The value at the same position where the mask is set, 0 elsewhere.
  case masked(SparseMask, WeightEncoding)
  /// Only the values where the mask is set, compacted.
  case gathered(SparseMask, WeightEncoding)
  /// Concatenated.
  case joined(ConcatenatedWeights)
  /// The elements from an index on.
  case part(WeightEncoding, first: Int)

  /// Elements that are decoded at a time: they stay in the L1 cache.
  static let chunk = 4096

  /// Elements that are decoded at a time into a temporary buffer. Larger buffers would not be allocated on the stack.
  static let piece = 256

  /// Whether fp32 holds every value exactly.
  var isExact: Bool {
    switch self {
    case .dense(let numbers): numbers.isExact
    case .rounded, .palette, .scaled: true
    case .spread(_, let form), .masked(_, let form), .gathered(_, let form): form.isExact
    case .joined(let parts): parts.forms.allSatisfy(\.isExact)
    case .part(let form, _): form.isExact
    }
  }

  /// Whether fp16 holds every value exactly.
  var isF16: Bool {
    switch self {
    case .dense(let numbers): numbers.isF16
    case .rounded: true
    case .palette(let palette): palette.isF16
    case .scaled: false
    case .spread(_, let form), .masked(_, let form), .gathered(_, let form): form.isF16
    case .joined(let parts): parts.forms.allSatisfy(\.isF16)
    case .part(let form, _): form.isF16
    }
  }

  /// Whether every value is an integer of few bits.
  var isShort: Bool {
    switch self {
    case .dense(let numbers): numbers.isShort
    case .palette(let palette): palette.isShort
    case .rounded, .scaled: false
    case .spread(_, let form), .masked(_, let form), .gathered(_, let form): form.isShort
    case .joined(let parts): parts.forms.allSatisfy(\.isShort)
    case .part(let form, _): form.isShort
    }
  }

  /// Writes the values of `range`, which must be within bounds.
  func decode(_ range: Range<Int>, into target: UnsafeMutablePointer<Float>) {
    switch self {
    case .dense(let numbers): numbers.decode(range, into: target)
    case .rounded(let form):
      form.decode(range, into: target)
      ck_round_f16_f32(target, range.count)
    case .palette(let palette): palette.decode(range, into: target)
    case .scaled(let scale): scale.decode(range, into: target)
    case .spread(let mask, let values): mask.spread(values, range, into: target)
    case .masked(let mask, let form):
      form.decode(range, into: target)
      mask.clear(range, in: target)
    case .gathered(let mask, let form): mask.gather(form, range, into: target)
    case .joined(let parts): parts.decode(range, into: target)
    case .part(let form, let first): form.decode(range.lowerBound + first..<range.upperBound + first, into: target)
    }
  }

  /// Bytes of the constants that the encoding keeps.
  var byteCount: Int {
    switch self {
    case .dense(let numbers): numbers.tensor.byteCount
    case .rounded(let form): form.byteCount
    case .palette(let palette): palette.byteCount
    case .scaled(let scale): scale.byteCount
    case .spread(let mask, let form), .masked(let mask, let form), .gathered(let mask, let form):
      mask.byteCount + form.byteCount
    case .joined(let parts): parts.forms.reduce(0) { $0 + $1.byteCount }
    case .part(let form, _): form.byteCount
    }
  }

  /// The constants of the encoding, in a fixed order.
  var tensors: [Tensor] {
    switch self {
    case .dense(let numbers): [numbers.tensor]
    case .rounded(let form): form.tensors
    case .palette(let palette): palette.indices.tensors + palette.lut.tensors
    case .scaled(let scale): scale.data.tensors + [scale.scale] + (scale.offset.map { [$0] } ?? [])
    case .spread(let mask, let form), .masked(let mask, let form), .gathered(let mask, let form):
      [mask.tensor] + form.tensors
    case .joined(let parts): parts.forms.flatMap(\.tensors)
    case .part(let form, _): form.tensors
    }
  }

  /// All values, for small encodings that other encodings read while they decode.
  func floats(count: Int) throws -> Tensor {
    guard case .dense(let numbers) = self, numbers.tensor.count == count else { return try decoded(count: count) }
    if numbers.floats != nil { return try numbers.tensor.reshaped([count]) }
    // Scales of blocks are large, and each plan asks for them several times.
    return try numbers.tensor.storage.widened(numbers.tensor.scalar) { try decoded(count: count) }
  }

  private func decoded(count: Int) throws -> Tensor {
    let result = try Tensor.zeros(.float32, shape: [count])
    guard let target = result.storage.mutablePointer?.assumingMemoryBound(to: Float.self) else { return result }
    var at = 0
    while at < count {
      let end = min(at + Self.chunk, count)
      decode(at..<end, into: target + at)
      at = end
    }
    return result
  }
}
