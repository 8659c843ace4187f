import MIL

extension MLTensor {
  /// Converts the elements to another type. Floating-point values are truncated toward zero to integers. A number
  /// converts to `true` if it is not 0.
  public func cast<Scalar: MLTensorScalar>(to scalarType: Scalar.Type) -> MLTensor {
    cast(TensorScalars.scalar(scalarType))
  }

  /// Converts the elements to another type that is chosen at run time.
  public func cast(to scalarType: any MLTensorScalar.Type) -> MLTensor { cast(TensorScalars.scalar(scalarType)) }

  /// Converts the elements to the type of another tensor.
  public func cast(like other: MLTensor) -> MLTensor { cast(other.scalar) }

  func cast(_ type: ScalarType) -> MLTensor {
    guard type != scalar else { return self }
    // A one-element tensor that is computed already is converted immediately.
    if let tensor = value.tensor, tensor.count == 1, type.isFloat || type == .int32 && !scalar.isFloat,
      let converted = try? tensor.converted(to: type)
    {
      return MLTensor(converted)
    }
    return MLTensor.operation("cast", ["x": .tensor(self), "dtype": .string(type.rawValue)])
  }

  /// Converts two operands to a type that can represent both.
  static func met(_ one: MLTensor, _ other: MLTensor) -> (MLTensor, MLTensor) {
    var type = TensorScalars.common(one.scalar, other.scalar)
    if one.isLiteral != other.isLiteral {
      let (weak, strong) = one.isLiteral ? (one.scalar, other.scalar) : (other.scalar, one.scalar)
      if strong.isFloat || strong.isInteger && weak.isInteger { type = strong }
    }
    return (one.cast(type), other.cast(type))
  }

  static func binary(_ type: String, _ one: MLTensor, _ other: MLTensor) -> MLTensor {
    let (x, y) = met(one, other)
    return operation(type, ["x": .tensor(x), "y": .tensor(y)])
  }

  /// Elementwise arithmetic. Booleans are converted to 0 and 1.
  static func arithmetic(_ type: String, _ one: MLTensor, _ other: MLTensor) -> MLTensor {
    let (x, y) = met(one, other)
    guard x.scalar == .bool else { return operation(type, ["x": .tensor(x), "y": .tensor(y)]) }
    return operation(type, ["x": .tensor(x.cast(.int32)), "y": .tensor(y.cast(.int32))])
  }

  /// The operand of a floating-point function: other types are converted to `Float`.
  var floating: MLTensor { scalar.isFloat ? self : cast(.float32) }

  func unary(_ type: String) -> MLTensor { MLTensor.operation(type, ["x": .tensor(self)]) }
}
