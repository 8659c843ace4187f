import MIL

/// A constant as its file has it: numbers as they stand, or compressed (`constexpr_*` of constants), with the type that operations see.
///
/// Nothing is decoded before it is asked for, and any range of elements can be asked for: who packs a weight never needs all of it at
/// once. The numbers are those of the plain references, bit by bit.
package struct StoredWeight: Sendable {
  /// Concrete.
  package let type: TensorType
  package let shape: [Int]
  package let count: Int
  let form: WeightEncoding

  init(_ scalar: ScalarType, shape: [Int], _ form: WeightEncoding) {
    (type, self.shape, self.form) = (TensorType(scalar, shape), shape, form)
    count = shape.reduce(1, *)  // checked by the type rule that gave the shape
  }

  /// A tensor's numbers; nil for strings.
  package init?(_ tensor: Tensor) {
    guard let numbers = DenseElements(tensor) else { return nil }
    self.init(tensor.scalar, shape: tensor.shape, .dense(numbers))
  }

  /// Bytes that it takes as it is kept, tables and counts for decoding included.
  package var byteCount: Int { form.byteCount }

  /// The tensor that it is, when nothing has to be decoded.
  package var tensor: Tensor? {
    guard case .dense(let numbers) = form, numbers.tensor.scalar == type.scalar else { return nil }
    return numbers.tensor.shape == shape ? numbers.tensor : try? numbers.tensor.reshaped(shape)
  }

  /// Whether every number is a half, whatever the type.
  package var isF16: Bool { form.isF16 }

  /// The numbers where they stand, if they are floats in memory already.
  package var floats: UnsafePointer<Float>? {
    guard case .dense(let numbers) = form else { return nil }
    return numbers.floats
  }

  /// Writes the elements of a range, in row-major order, as floats: rounded where the type has numbers that are none.
  package func decode(_ range: Range<Int>, into target: UnsafeMutablePointer<Float>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the caller knows the shape")
    var at = range.lowerBound
    while at < range.upperBound {
      let end = min(at + WeightEncoding.chunk, range.upperBound)
      form.decode(at..<end, into: target + (at - range.lowerBound))
      at = end
    }
  }

  /// Writes a range of elements as its type has them: halves or floats.
  package func copy(_ range: Range<Int>, to target: UnsafeMutableRawPointer) {
    if type.scalar == .float16 {
      decodeHalves(range, into: target.assumingMemoryBound(to: UInt16.self))
    } else {
      decode(range, into: target.assumingMemoryBound(to: Float.self))
    }
  }

  /// A tensor of its type, decoded now; the tensor that it is when nothing has to be.
  package func dense() throws -> Tensor {
    if let tensor { return tensor }
    switch type.scalar {
    case .float32: return try form.floats(count: count).reshaped(shape)
    default: return try form.floats(count: count).reshaped(shape).converted(to: type.scalar)
    }
  }

  /// The same elements under another shape of as many; nil for another number of them.
  package func reshaped(_ shape: [Int]) -> StoredWeight? {
    guard TensorType.elementCount(shape) == count else { return nil }
    return StoredWeight(type.scalar, shape: shape, form)
  }

  /// The constants that it is made of, in a fixed order.
  var tensors: [Tensor] { form.tensors }
}
