extension MLTensor: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral
{
  /// Creates a scalar of type `Float`. As an operand it is converted to the other operand's type if that type can
  /// represent it.
  public init(floatLiteral value: Float) { self = MLTensor(value).literal }

  /// Creates a scalar of type `Int32`. As an operand it is converted to the other operand's type.
  public init(integerLiteral value: Int32) { self = MLTensor(value).literal }

  /// Creates a boolean scalar.
  public init(booleanLiteral value: Bool) { self.init(value) }

  /// Stacks tensors along a new first axis: numbers become a vector, vectors become a matrix.
  public init(arrayLiteral elements: MLTensor...) {
    if elements.isEmpty { self.init(zeros: [0], scalarType: Float.self) } else { self.init(stacking: elements) }
  }
}
