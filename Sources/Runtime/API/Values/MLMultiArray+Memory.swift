import Foundation

extension MLMultiArray {
  /// Hands out the memory from the first element to the end of the last one.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withExtendedLifetime(self) {
      try body(UnsafeRawBufferPointer(start: dataPointer, count: layout.extent * dataType.size))
    }
  }

  /// Hands out the memory from the first element to the end of the last one, and the strides in elements.
  public func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer, [Int]) throws -> R) rethrows -> R {
    try withExtendedLifetime(self) {
      try body(
        UnsafeMutableRawBufferPointer(start: dataPointer, count: layout.extent * dataType.size), layout.strides)
    }
  }

  /// Hands out the elements from the first to the last one in memory.
  ///
  /// - Precondition: the elements are of the type.
  public func withUnsafeBufferPointer<S: MLShapedArrayScalar, R>(
    ofType type: S.Type, _ body: (UnsafeBufferPointer<S>) throws -> R
  ) rethrows -> R {
    try withExtendedLifetime(self) {
      try body(UnsafeBufferPointer(start: pointer(to: type), count: layout.extent))
    }
  }

  /// Hands out the elements from the first to the last one in memory, and the strides.
  ///
  /// - Precondition: the elements are of the type.
  public func withUnsafeMutableBufferPointer<S: MLShapedArrayScalar, R>(
    ofType type: S.Type, _ body: (UnsafeMutableBufferPointer<S>, [Int]) throws -> R
  ) rethrows -> R {
    try withExtendedLifetime(self) {
      try body(UnsafeMutableBufferPointer(start: pointer(to: type), count: layout.extent), layout.strides)
    }
  }

  private func pointer<S: MLShapedArrayScalar>(to type: S.Type) -> UnsafeMutablePointer<S> {
    precondition(
      type.multiArrayDataType == dataType && MemoryLayout<S>.stride == dataType.size,
      "a multi-array of \(dataType) has no elements of type \(type)")
    return dataPointer.assumingMemoryBound(to: type)
  }
}
