import MIL

/// How the elements of a tensor are laid out in memory.
package enum Layout: Sendable, Hashable, CustomStringConvertible {
  /// Row-major in the order of the shape.
  case dense
  /// NCHWc with this many channels in a block: [N, blocks, ..., channels of a block]. The unused channels of the last
  /// block are zero.
  case blocked(Int)

  /// Bytes of a tensor of this type. Nil if the type cannot have this layout.
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
