import MIL

/// A constant matrix whose rows are int8 values times one scale for each row: the usual quantized weights.
///
/// If the model rounds the scaled values to fp16, this takes the values before that rounding. They are closer to the
/// quantized weights than fp16 values.
struct Int8Matrix: Sendable {
  /// The int8 values, -128 to 127, as a weight of the same shape.
  let numbers: StoredWeight
  /// One for each row.
  let scales: [Float]

  /// Nil for any other kind of weight.
  init?(_ weight: StoredWeight, rows: Int) {
    guard weight.type.scalar == .float32, rows > 0, weight.count > 0, weight.count % rows == 0,
      let (numbers, scales) = Self.parts(weight.form, weight.shape, rows: rows, columns: weight.count / rows)
    else { return nil }
    self.numbers = StoredWeight(.float32, shape: weight.shape, numbers)
    self.scales = scales.map { Float($0) }
    guard self.scales.allSatisfy(\.isFinite) else { return nil }
  }

  private static func parts(
    _ form: WeightEncoding, _ shape: [Int], rows: Int, columns: Int
  ) -> (numbers: WeightEncoding, scales: [Double])? {
    switch form {
    case .rounded(let inner): return parts(inner, shape, rows: rows, columns: columns)
    case .scaled(let blocks):
      guard let grid = blocks.walk.grid(columns: columns), grid.entries == 1, rows % grid.rows == 0,
        let entries = try? blocks.scale.doubles(), entries.count == grid.count
      else { return nil }
      let scales = (0..<rows).map { entries[$0 / grid.rows] }
      switch blocks.data {
      case .dense(let data):
        guard let numbers = shifted(data, blocks, shape) else { return nil }
        return (numbers, scales)
      case .scaled, .rounded:
        // The factors of a folded normalization over weights that already have scales.
        guard blocks.offset == nil, let inner = parts(blocks.data, shape, rows: rows, columns: columns) else {
          return nil
        }
        return (inner.numbers, zip(scales, inner.scales).map { $0 * $1 })
      default: return nil
      }
    case .joined(let joined):
      let found = zip(joined.forms, joined.counts).compactMap {
        $1 % columns == 0 ? parts($0, [$1], rows: $1 / columns, columns: columns) : nil
      }
      guard found.count == joined.forms.count else { return nil }
      return (.joined(ConcatenatedWeights(Array(zip(found.map(\.numbers), joined.counts)))), found.flatMap(\.scales))
    default: return nil
    }
  }

  /// The data minus their offsets. Nil unless the type has at most eight bits and all differences fit int8.
  private static func shifted(_ data: DenseElements, _ blocks: BlockScale, _ shape: [Int]) -> WeightEncoding? {
    guard let range = data.tensor.scalar.integerRange, data.tensor.scalar.bitWidth <= 8 else { return nil }
    guard let offset = blocks.offset else { return range.upperBound <= 127 ? .dense(data) : nil }
    guard let entries = try? offset.doubles(),
      entries.allSatisfy({ $0.rounded() == $0 && range.lowerBound - $0 >= -128 && range.upperBound - $0 <= 127 })
    else { return nil }
    if entries.allSatisfy({ $0 == 0 }) { return .dense(data) }
    let ones = Tensor(float32: Array(repeating: 1, count: entries.count), shape: [entries.count])
    return .scaled(BlockScale(.dense(data), scale: ones, offset: offset, hasShortOffset: true, walk: blocks.walk))
  }
}
