import Foundation

extension MLMultiArray {
  /// Calls `body` with the memory from the first element to the end of the last one.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withExtendedLifetime(self) {
      try body(UnsafeRawBufferPointer(start: dataPointer, count: layout.extent * dataType.size))
    }
  }

  /// Calls `body` with the memory from the first element to the end of the last one, and with the strides in elements.
  public func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer, [Int]) throws -> R) rethrows -> R {
    try withExtendedLifetime(self) {
      try body(
        UnsafeMutableRawBufferPointer(start: dataPointer, count: layout.extent * dataType.size), layout.strides)
    }
  }

  /// Calls `body` with the elements in memory order, from the first to the last.
  ///
  /// - Precondition: the elements have the given type.
  public func withUnsafeBufferPointer<S: MLShapedArrayScalar, R>(
    ofType type: S.Type, _ body: (UnsafeBufferPointer<S>) throws -> R
  ) rethrows -> R {
    try withExtendedLifetime(self) {
      try body(UnsafeBufferPointer(start: pointer(to: type), count: layout.extent))
    }
  }

  /// Calls `body` with the elements in memory order, from the first to the last, and with the strides in elements.
  ///
  /// - Precondition: the elements have the given type.
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
