extension Tensor {
  package init(bool value: Bool) {
    let storage = TensorStorage(literalBytes: 1)
    storage.mutablePointer?.storeBytes(of: value ? 1 : 0, as: UInt8.self)
    self.init(unchecked: .bool, shape: [], storage: storage)
  }

  /// Creates a tensor of strings. `shape` must have the same number of elements.
  package init(strings: [String], shape: [Int]) {
    precondition(TensorType.elementCount(shape) == strings.count, "the caller counts its own strings")
    self.init(unchecked: .string, shape: shape, storage: TensorStorage(strings: strings))
  }

  /// Creates an int32 tensor. `shape` must have the same number of elements as `values`. Values saturate to the type's
  /// range.
  package init(int32 values: [Int], shape: [Int]) {
    self.init(trivial: values.map { Int32(clamping: $0) }, scalar: .int32, shape: shape)
  }

  package init(float32 values: [Float], shape: [Int]) {
    self.init(trivial: values, scalar: .float32, shape: shape)
  }

  package init(float64 values: [Double], shape: [Int]) {
    self.init(trivial: values, scalar: .float64, shape: shape)
  }

  package init(int64 values: [Int64], shape: [Int]) {
    self.init(trivial: values, scalar: .int64, shape: shape)
  }

  private init<T: BitwiseCopyable>(trivial values: [T], scalar: ScalarType, shape: [Int]) {
    precondition(TensorType.elementCount(shape) == values.count, "the caller counts its own values")
    let storage = TensorStorage(literalBytes: values.count * MemoryLayout<T>.stride)
    values.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress, let target = storage.mutablePointer {
        target.copyMemory(from: base, byteCount: bytes.count)
      }
    }
    self.init(unchecked: scalar, shape: shape, storage: storage)
  }

  /// Creates a tensor with values converted to `scalar`. Floats round to nearest even. Integers truncate toward zero
  /// and saturate (NaN gives 0). Bools are true for nonzero values.
  package init(_ scalar: ScalarType, shape: [Int], doubles values: [Double]) throws {
    guard TensorType.elementCount(shape) == values.count else {
      throw MILError(.invalidShape, "\(values.count) values for the shape \(shape)")
    }
    let tensor = try Tensor.zeros(scalar, shape: shape)
    guard let target = tensor.storage.mutablePointer, scalar != .string else {
      throw MILError(.invalidType, "numbers cannot be stored as \(scalar.rawValue)")
    }
    try ScalarCoding.encode(values, as: scalar, to: target)
    self = tensor
  }
}
