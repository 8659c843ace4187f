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

  /// Copies the elements to another array of the same shape, converted to its type and laid out as it is: floats become integers
  /// by truncation toward zero, those beyond the type's range its nearest number, NaN 0; integers keep their low bits.
  ///
  /// - Precondition: the shapes are the same.
  public func transfer(to destinationMultiArray: MLMultiArray) {
    let target = destinationMultiArray
    precondition(
      target.layout.shape == layout.shape,
      "a multi-array of shape \(layout.shape) cannot be transferred to one of shape \(target.layout.shape)")
    guard count > 0 else { return }
    let wide = Swift.max(dataType.size, target.dataType.size)
    // Two buffers: conversion may alias only where the sizes are equal.
    let dense = UnsafeMutableRawPointer.allocate(byteCount: count * wide * 2, alignment: 64)
    defer { dense.deallocate() }
    let converted = dense + count * wide
    StridedCopy(shape: layout.shape, strides: layout.strides, size: dataType.size).gather(from: dataPointer, to: dense)
    Casting.convert(dense, dataType, to: converted, target.dataType, count: count)
    StridedCopy(shape: layout.shape, strides: target.layout.strides, size: target.dataType.size)
      .scatter(from: converted, to: target.dataPointer)
    withExtendedLifetime((self, target)) {}
  }
}
