import MIL

/// A constant as its file stores it: plain elements, or compressed (`constexpr_*` of constants), with the type that
/// operations see.
///
/// Elements are decoded only on request, for any range. So a kernel that packs a weight never needs all of it decoded.
/// The decoded values are bit for bit those of the reference implementations.
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

  /// A tensor's elements. Nil for strings.
  package init?(_ tensor: Tensor) {
    guard let numbers = DenseElements(tensor) else { return nil }
    self.init(tensor.scalar, shape: tensor.shape, .dense(numbers))
  }

  /// Bytes of the encoded weight, with tables and counts for decoding.
  package var byteCount: Int { form.byteCount }

  /// The weight as a tensor, if nothing has to be decoded.
  package var tensor: Tensor? {
    guard case .dense(let numbers) = form, numbers.tensor.scalar == type.scalar else { return nil }
    return numbers.tensor.shape == shape ? numbers.tensor : try? numbers.tensor.reshaped(shape)
  }

  /// Whether fp16 holds every value exactly, whatever the type.
  package var isF16: Bool { form.isF16 }

  /// The elements in place, if they are fp32 in memory already.
  package var floats: UnsafePointer<Float>? {
    guard case .dense(let numbers) = form else { return nil }
    return numbers.floats
  }

  /// Writes the elements of a range as fp32, in row-major order. Values that fp32 does not hold are rounded.
  package func decode(_ range: Range<Int>, into target: UnsafeMutablePointer<Float>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the caller knows the shape")
    var at = range.lowerBound
    while at < range.upperBound {
      let end = min(at + WeightEncoding.chunk, range.upperBound)
      form.decode(at..<end, into: target + (at - range.lowerBound))
      at = end
    }
  }

  /// Writes a range of elements in the weight's own type: fp16 or fp32.
  package func copy(_ range: Range<Int>, to target: UnsafeMutableRawPointer) {
    if type.scalar == .float16 {
      decodeF16(range, into: target.assumingMemoryBound(to: UInt16.self))
    } else {
      decode(range, into: target.assumingMemoryBound(to: Float.self))
    }
  }

  /// A tensor of the weight's type. Decodes now unless the elements are stored plain.
  package func dense() throws -> Tensor {
    if let tensor { return tensor }
    switch type.scalar {
    case .float32: return try form.floats(count: count).reshaped(shape)
    default: return try form.floats(count: count).reshaped(shape).converted(to: type.scalar)
    }
  }

  /// The same elements with another shape. Nil if the element count differs.
  package func reshaped(_ shape: [Int]) -> StoredWeight? {
    guard TensorType.elementCount(shape) == count else { return nil }
    return StoredWeight(type.scalar, shape: shape, form)
  }

  /// The constants that the weight consists of, in a fixed order.
  var tensors: [Tensor] { form.tensors }
}
