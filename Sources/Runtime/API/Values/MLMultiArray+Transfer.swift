import Foundation

extension MLMultiArray {
  /// Copies the elements to another array of the same shape, converted to its type and laid out as it is: floats become integers
  /// by truncation toward zero, those beyond the type's range its nearest number, NaN 0; integers keep their low bits.
  ///
  /// Memory is needed only where the two arrays share theirs; where there is none then, the process ends with a sentence.
  ///
  /// - Precondition: the shapes are the same.
  public func transfer(to destinationMultiArray: MLMultiArray) {
    let target = destinationMultiArray
    precondition(
      target.layout.shape == layout.shape,
      "a multi-array of shape \(layout.shape) cannot be transferred to one of shape \(target.layout.shape)")
    guard count > 0 else { return }
    // What is written must not be what is still to be read.
    let room = sharesMemory(with: target) ? count : Swift.min(count, 4096)
    let wide = Swift.max(dataType.size, target.dataType.size)
    // Two buffers: conversion may alias only where the sizes are equal.
    guard let dense = malloc(room * wide * 2) else {
      preconditionFailure(
        "a multi-array of \(count) elements shares memory with the one it is to be transferred to, and there is none for a copy"
      )
    }
    defer { free(dense) }
    let transfer = Transfer(source: self, target: target, room: room, dense: dense, converted: dense + room * wide)
    transfer.blocks(from: dataPointer, to: target.dataPointer)
    withExtendedLifetime((self, target)) {}
  }

  private func sharesMemory(with other: MLMultiArray) -> Bool {
    let (start, end) = (UInt(bitPattern: dataPointer), UInt(bitPattern: dataPointer + layout.extent * dataType.size))
    let otherStart = UInt(bitPattern: other.dataPointer)
    let otherEnd = UInt(bitPattern: other.dataPointer + other.layout.extent * other.dataType.size)
    return start < otherEnd && otherStart < end
  }

  /// Elements gathered, converted and scattered, so many at a time.
  private struct Transfer {
    let source: MLMultiArray
    let target: MLMultiArray
    let room: Int
    let dense: UnsafeMutableRawPointer
    let converted: UnsafeMutableRawPointer

    /// The elements of the axes from one on, whose first ones are at these places.
    func blocks(from: UnsafeRawPointer, to: UnsafeMutableRawPointer, axis: Int = 0) {
      let shape = Array(source.layout.shape[axis...])
      guard let first = shape.first else { return block(from, to, axis, []) }
      let row = shape.dropFirst().reduce(1, *)
      let (stepFrom, stepTo) = (source.layout.strides[axis], target.layout.strides[axis])
      let rows = row <= room ? room / row : 1
      for start in stride(from: 0, to: first, by: rows) {
        let from = from + start * stepFrom * source.dataType.size
        let to = to + start * stepTo * target.dataType.size
        if row <= room {
          block(from, to, axis, [Swift.min(rows, first - start)] + shape.dropFirst())
        } else {
          blocks(from: from, to: to, axis: axis + 1)
        }
      }
    }

    private func block(_ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ axis: Int, _ shape: [Int]) {
      func copy(_ array: MLMultiArray) -> StridedCopy {
        StridedCopy(shape: shape, strides: Array(array.layout.strides[axis...]), size: array.dataType.size)
      }
      copy(source).gather(from: from, to: dense)
      Casting.convert(
        dense, source.dataType.scalar, to: converted, target.dataType.scalar, count: shape.reduce(1, *))
      copy(target).scatter(from: converted, to: to)
    }
  }
}
