extension Tensor {
  /// A vector of bools.
  package init(bools values: [Bool]) {
    let storage = TensorStorage(literalBytes: values.count)
    for (index, value) in values.enumerated() {
      storage.mutablePointer?.storeBytes(of: value ? 1 : 0, toByteOffset: index, as: UInt8.self)
    }
    self.init(unchecked: .bool, shape: [values.count], storage: storage)
  }
}
