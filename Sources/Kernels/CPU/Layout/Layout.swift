import MIL

/// How the elements of a tensor lie in memory.
package enum Layout: Sendable, Hashable, CustomStringConvertible {
  /// Row-major, as the shape says.
  case dense
  /// [N, C, ...] with C in blocks of so many channels, the block innermost: [N, blocks, ..., channels of a block]. What the last block has
  /// too much is zero.
  case blocked(Int)

  /// Bytes that a tensor takes; nil for what cannot lie so.
  package func byteCount(of type: TensorType) -> Int? {
    switch self {
    case .dense: return type.byteCount
    case .blocked(let size):
      guard let shape = type.concreteShape, shape.count >= 2, size > 0 else { return nil }
      var padded = shape
      padded[1] = (shape[1] + size - 1) / size * size
      return TensorType(type.scalar, padded).byteCount
    }
  }

  package var description: String {
    switch self {
    case .dense: "dense"
    case .blocked(let size): "blocked by \(size)"
    }
  }
}
