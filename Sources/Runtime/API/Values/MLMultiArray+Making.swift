import Foundation
import MIL

extension MLMultiArray {
  /// A vector of integers, as `int32`.
  ///
  /// - Throws: `MLModelError` when one does not fit.
  public convenience init<C: Collection>(_ data: C) throws where C.Element: FixedWidthInteger {
    try self.init(shape: [NSNumber(value: data.count)], dataType: .int32)
    let target = dataPointer.assumingMemoryBound(to: Int32.self)
    for (index, element) in data.enumerated() {
      guard let value = Int32(exactly: element) else {
        throw MLModelError(.generic, "\(element) does not fit an int32 multi-array")
      }
      target[index] = value
    }
  }

  /// A vector, as `double`.
  public convenience init<C: Collection>(_ data: C) throws where C.Element == Double {
    try self.init(shape: [NSNumber(value: data.count)], dataType: .double)
    let target = dataPointer.assumingMemoryBound(to: Double.self)
    for (index, element) in data.enumerated() { target[index] = element }
  }

  /// A vector, as `float32`.
  public convenience init<C: Collection>(_ data: C) throws where C.Element == Float {
    try self.init(shape: [NSNumber(value: data.count)], dataType: .float32)
    let target = dataPointer.assumingMemoryBound(to: Float.self)
    for (index, element) in data.enumerated() { target[index] = element }
  }

  /// Arrays one after the other along an axis, converted to `dataType`.
  ///
  /// Their shapes must be equal but for that axis, which counts from the end where it is negative: anything else is a fault of the
  /// program, as it is with Core ML.
  public convenience init(concatenating multiArrays: [MLMultiArray], axis: Int, dataType: MLMultiArrayDataType) {
    let shapes = multiArrays.map { $0.shape.map(\.intValue) }
    precondition(!shapes.isEmpty, "no array to concatenate")
    let rank = shapes[0].count
    let axis = axis < 0 ? axis + rank : axis
    precondition(axis >= 0 && axis < rank, "axis \(axis) of arrays of rank \(rank)")
    var total = shapes[0]
    total[axis] = 0
    for shape in shapes {
      precondition(shape.count == rank, "arrays of rank \(rank) and \(shape.count)")
      for other in 0..<rank where other != axis {
        precondition(shape[other] == total[other], "shapes \(shapes[0]) and \(shape) along axis \(axis)")
      }
      total[axis] += shape[axis]
    }
    let size = dataType.size
    let steps = MLMultiArray.contiguous(total)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(total.reduce(size, *), 1), alignment: 64)
    self.init(adopting: memory, total, dataType, steps)
    var start = 0
    for (array, shape) in zip(multiArrays, shapes) {
      let part = MLMultiArray(adopting: memory + start * steps[axis] * size, shape, dataType, steps, keeping: self)
      array.transfer(to: part)
      start += shape[axis]
    }
  }

  /// Copies the elements to an array of the same shape, whatever its element type and strides: floats to integers truncate toward zero and
  /// saturate. Arrays of other shapes are a fault of the program.
  public func transfer(to destinationArray: MLMultiArray) {
    precondition(shape == destinationArray.shape, "shapes \(shape) and \(destinationArray.shape)")
    do { try destinationArray.write(tensor(as: destinationArray.dataType.scalar)) } catch {
      preconditionFailure("\(error)")
    }
  }

  /// The elements from the first to the last in memory, as `S`, which must be the array's element type.
  public func withUnsafeBufferPointer<S: MLShapedArrayScalar, R>(
    ofType type: S.Type, _ body: (UnsafeBufferPointer<S>) throws -> R
  ) rethrows -> R {
    precondition(type.multiArrayDataType == dataType, "the elements are \(dataType), not \(type)")
    return try withUnsafeBytes { try body($0.bindMemory(to: S.self)) }
  }

  /// The same for writing, with the strides.
  public func withUnsafeMutableBufferPointer<S: MLShapedArrayScalar, R>(
    ofType type: S.Type, _ body: (UnsafeMutableBufferPointer<S>, [Int]) throws -> R
  ) rethrows -> R {
    precondition(type.multiArrayDataType == dataType, "the elements are \(dataType), not \(type)")
    return try withUnsafeMutableBytes { try body($0.bindMemory(to: S.self), $1) }
  }
}
