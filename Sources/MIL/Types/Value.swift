/// A value: a literal of a program, or a run-time value.
package indirect enum Value: Sendable {
  case tensor(Tensor)
  case list([Value], element: ValueType)
  case tuple([Value])
  case dictionary([(key: Value, value: Value)], key: ValueType, value: ValueType)

  package var type: ValueType {
    switch self {
    case .tensor(let tensor): .tensor(tensor.type)
    case .list(let items, let element): .list(element, length: Dimension(items.count))
    case .tuple(let items): .tuple(items.map(\.type))
    case .dictionary(_, let key, let value): .dictionary(key: key, value: value)
    }
  }

  package var tensor: Tensor? {
    if case .tensor(let tensor) = self { return tensor }
    return nil
  }

  package static func string(_ value: String) -> Value { .tensor(Tensor(strings: [value], shape: [])) }
  package static func bool(_ value: Bool) -> Value { .tensor(Tensor(bool: value)) }
  package static func int32(_ value: Int) -> Value { .tensor(Tensor(int32: [value], shape: [])) }
  package static func int32s(_ values: [Int]) -> Value { .tensor(Tensor(int32: values, shape: [values.count])) }
  package static func float32(_ value: Float) -> Value { .tensor(Tensor(float32: [value], shape: [])) }
  package static func float32s(_ values: [Float]) -> Value { .tensor(Tensor(float32: values, shape: [values.count])) }
}

extension Value {
  /// A copy in separate memory. Results may borrow an arena that the next step overwrites.
  package func detached() throws -> Value {
    switch self {
    case .tensor(let tensor) where tensor.scalar != .string:
      let copy = try tensor.withUnsafeBytes { try TensorStorage(copying: $0, for: "a copy of \(tensor.type)") }
      return .tensor(try Tensor(tensor.scalar, shape: tensor.shape, storage: copy))
    case .list(let items, let element): return .list(try items.map { try $0.detached() }, element: element)
    default: return self
    }
  }
}
