import MIL

extension MLTensor {
  /// The elements as another type: floats become integers by truncation toward zero, numbers truth values by being other than 0.
  public func cast<Scalar: MLTensorScalar>(to scalarType: Scalar.Type) -> MLTensor {
    cast(TensorScalars.scalar(scalarType))
  }

  /// The elements as another type, which is known when the program runs.
  public func cast(to scalarType: any MLTensorScalar.Type) -> MLTensor { cast(TensorScalars.scalar(scalarType)) }

  /// The elements as those of another tensor are.
  public func cast(like other: MLTensor) -> MLTensor { cast(other.scalar) }

  func cast(_ type: ScalarType) -> MLTensor {
    guard type != scalar else { return self }
    // A number that is there need not wait.
    if let tensor = value.tensor, tensor.count == 1, type.isFloat || type == .int32 && !scalar.isFloat,
      let converted = try? tensor.converted(to: type)
    {
      return MLTensor(converted)
    }
    return MLTensor.operation("cast", ["x": .tensor(self), "dtype": .string(type.rawValue)])
  }

  /// Two operands in the type that both have room in.
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

  /// Arithmetic, which truth values take part in as 0 and 1.
  static func arithmetic(_ type: String, _ one: MLTensor, _ other: MLTensor) -> MLTensor {
    let (x, y) = met(one, other)
    guard x.scalar == .bool else { return operation(type, ["x": .tensor(x), "y": .tensor(y)]) }
    return operation(type, ["x": .tensor(x.cast(.int32)), "y": .tensor(y.cast(.int32))])
  }

  /// What only floating-point numbers have: others are taken as `Float`.
  var floating: MLTensor { scalar.isFloat ? self : cast(.float32) }

  func unary(_ type: String) -> MLTensor { MLTensor.operation(type, ["x": .tensor(self)]) }
}
