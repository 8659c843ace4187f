import Foundation

extension MLFeatureValue {
  /// Creates a multi-array value from a shaped array's scalars.
  public convenience init<Scalar: MLShapedArrayScalar>(shapedArray: MLShapedArray<Scalar>) {
    self.init(multiArray: MLMultiArray(shapedArray))
  }

  /// The multi-array as a shaped array that uses its memory; nil for another type of value, or for elements of another
  /// type.
  public func shapedArrayValue<Scalar: MLShapedArrayScalar>(of type: Scalar.Type) -> MLShapedArray<Scalar>? {
    guard let array = multiArrayValue, array.dataType == type.multiArrayDataType else { return nil }
    return MLShapedArray(array)
  }

  /// Creates a feature value from a sendable one.
  public convenience init(_ value: MLSendableFeatureValue) {
    switch value.content {
    case nil: self.init(undefined: value.type)
    case .integer(let number): self.init(int64: Int64(number))
    case .half(let number): self.init(double: Double(number))
    case .float(let number): self.init(double: Double(number))
    case .double(let number): self.init(double: number)
    case .string(let text): self.init(string: text)
    case .strings(let texts): self.init(sequence: MLSequence(strings: texts))
    case .stringDictionary(let pairs): self.init(strings: pairs.mapValues { NSNumber(value: $0) })
    case .integerDictionary(let pairs):
      self.init(
        integers: Dictionary(uniqueKeysWithValues: pairs.map { (Int64($0), NSNumber(value: $1)) }))
    case .halfArray(let array): self.init(shapedArray: array)
    case .floatArray(let array): self.init(shapedArray: array)
    case .doubleArray(let array): self.init(shapedArray: array)
    case .int32Array(let array): self.init(shapedArray: array)
    case .int8Array(let array): self.init(shapedArray: array)
    }
  }
}
