extension MLTensor: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral
{
  /// A number of type `Float`; beside an operand of another type, of that type where it has room.
  public init(floatLiteral value: Float) { self = MLTensor(value).literal }

  /// A number of type `Int32`; beside an operand of another type, of that type.
  public init(integerLiteral value: Int32) { self = MLTensor(value).literal }

  /// A truth value.
  public init(booleanLiteral value: Bool) { self.init(value) }

  /// Tensors beside one another on a new first axis: numbers make a vector, vectors a matrix.
  public init(arrayLiteral elements: MLTensor...) {
    if elements.isEmpty { self.init(zeros: [0], scalarType: Float.self) } else { self.init(stacking: elements) }
  }
}
