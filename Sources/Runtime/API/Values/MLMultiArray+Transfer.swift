import Foundation

extension MLMultiArray {
  /// Copies the elements to another array of the same shape, converted to its type and layout. Floating-point values
  /// are truncated toward zero to integers; values out of range become the nearest representable value, and NaN becomes
  /// 0. Integers that are narrowed keep their low bits.
  ///
  /// Allocates a copy only if the two arrays share memory. If that allocation fails, the process stops with a message.
  ///
  /// - Precondition: the shapes are equal.
  public func transfer(to destinationMultiArray: MLMultiArray) {
    let target = destinationMultiArray
    precondition(
      target.layout.shape == layout.shape,
      "a multi-array of shape \(layout.shape) cannot be transferred to one of shape \(target.layout.shape)")
    guard count > 0 else { return }
    // If the arrays share memory, all elements are read before the first is written.
    let room = sharesMemory(with: target) ? count : Swift.min(count, 4096)
    let wide = Swift.max(dataType.size, target.dataType.size)
    // Two buffers are needed: a conversion in place works only if the element sizes are equal.
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

  /// Gathers, converts and scatters elements in blocks of at most `room` elements.
  private struct Transfer {
    let source: MLMultiArray
    let target: MLMultiArray
    let room: Int
    let dense: UnsafeMutableRawPointer
    let converted: UnsafeMutableRawPointer

    /// Transfers the elements of the axes from `axis` on. The pointers are the first elements of both sides.
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
