import MIL

/// Converts the iOS16 encodings of compressed weights to those of iOS18. The iOS16 encodings pack sub-byte values into
/// `uint8` vectors with a separate shape. In the iOS18 encodings the values have their own types and shapes.
enum CompressionEncodings {
  static func normalise(_ operation: inout Operation) throws {
    guard let shape = literal("shape", operation) else { return }
    let sizes = try shape.ints()
    switch operation.type {
    case "constexpr_lut_to_dense":
      guard let lut = literal("lut", operation), let indices = literal("indices", operation) else { return }
      let scalar = try Self.unsigned(levels: lut.count)
      operation.inputs["indices"] = [.tensor(try reinterpreted(indices, scalar, sizes))]
      operation.inputs["lut"] = [.tensor(try lut.reshaped(Array(repeating: 1, count: sizes.count) + [lut.count, 1]))]
    case "constexpr_sparse_to_dense":
      guard let mask = literal("mask", operation) else { return }
      operation.inputs["mask"] = [.tensor(try reinterpreted(mask, .uint1, sizes))]
    default: return
    }
    operation.inputs["shape"] = nil
  }

  private static func literal(_ name: String, _ operation: Operation) -> Tensor? {
    guard case .literal(let value)? = operation.inputs[name]?.first else { return nil }
    return value.tensor
  }

  /// The same bytes with another type.
  private static func reinterpreted(_ tensor: Tensor, _ scalar: ScalarType, _ shape: [Int]) throws -> Tensor {
    let bytes = TensorStorage(
      borrowing: tensor.storage.pointer, byteCount: tensor.byteCount, owner: tensor.storage)
    return try Tensor(scalar, shape: shape, storage: bytes)
  }

  private static func unsigned(levels: Int) throws -> ScalarType {
    switch levels {
    case 2: .uint1
    case 4: .uint2
    case 8: .uint3
    case 16: .uint4
    case 64: .uint6
    case 256: .uint8
    default: throw MILError(.invalidShape, "a palette of \(levels) entries")
    }
  }
}
