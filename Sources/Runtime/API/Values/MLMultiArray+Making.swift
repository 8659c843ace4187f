import CoreMLImages
import Foundation

extension MLMultiArray {
  /// Creates a dense zero-filled array in first-major (row-major) order.
  ///
  /// - Throws: `MLModelError` for a negative size, for more than 2^36 elements, or if there is not enough memory.
  public convenience init(shape: [NSNumber], dataType: MLMultiArrayDataType) throws {
    try self.init(sizes: shape.map(\.intValue), dataType)
  }

  convenience init(sizes: [Int], _ dataType: MLMultiArrayDataType, isWritten: Bool = false) throws {
    guard let count = ShapedLayout.count(sizes), count <= 1 << 36 else {
      throw MLModelError(.generic, "a multi-array cannot have the shape \(sizes)")
    }
    try self.init(ShapedLayout(firstMajor: sizes), dataType, isWritten: isWritten)
  }

  /// Creates a zero-filled array with the given strides, in elements.
  ///
  /// - Precondition: there is one stride per axis, and no size or stride is negative.
  public convenience init(shape: [Int], dataType: MLMultiArrayDataType, strides: [Int]) {
    self.init(made: ShapedLayout(shape: shape, strides: strides), dataType)
  }

  /// For initializers that do not throw in Core ML: if there is not enough memory, the precondition fails.
  private convenience init(made layout: ShapedLayout, _ dataType: MLMultiArrayDataType) {
    guard let memory = ZeroedMemory.allocate(layout.extent * dataType.size) else {
      preconditionFailure("there is no memory for a multi-array of shape \(layout.shape)")
    }
    self.init(memory.pointer, layout, dataType) { _ in memory.release() }
  }

  /// Creates an array that uses the caller's memory. The memory must stay valid until `deallocator` is called.
  ///
  /// - Throws: `MLModelError` if there is not one stride per axis, a size or stride is negative, or the extent
  ///   overflows.
  public convenience init(
    dataPointer: UnsafeMutableRawPointer, shape: [NSNumber], dataType: MLMultiArrayDataType, strides: [NSNumber],
    deallocator: ((UnsafeMutableRawPointer) -> Void)? = nil
  ) throws {
    guard let layout = ShapedLayout(checking: shape.map(\.intValue), strides: strides.map(\.intValue)) else {
      throw MLModelError(.generic, "a multi-array cannot have the shape \(shape) with the strides \(strides)")
    }
    self.init(dataPointer, layout, dataType, release: deallocator ?? { _ in })
  }

  /// Creates an array that uses the pixels of an image: `float16` for fp16 grayscale, `int8` for 8-bit grayscale.
  ///
  /// - Precondition: the image has one of these formats. The width is the last size of the shape; the height is the
  ///   product of the others.
  public convenience init(pixelBuffer: CVPixelBuffer, shape: [NSNumber]) {
    let sizes = shape.map(\.intValue)
    if pixelBuffer.pixelFormatType == kCVPixelFormatType_OneComponent8 {
      self.init(ShapedView<Int8>(mutating: pixelBuffer, sizes), .int8, pixelBuffer)
    } else {
      self.init(ShapedView<Float16>(mutating: pixelBuffer, sizes), .float16, pixelBuffer)
    }
  }

  private convenience init<Scalar>(
    _ pixels: ShapedView<Scalar>, _ dataType: MLMultiArrayDataType, _ image: PixelBuffer
  ) {
    self.init(UnsafeMutableRawPointer(pixels.storage.pointer), pixels.layout, dataType, pixelBuffer: image) { _ in }
  }

  // MARK: from collections of numbers

  /// Creates a vector of 32-bit integers.
  ///
  /// - Throws: `MLModelError` for a value that does not fit in 32 bits, or if there is not enough memory.
  public convenience init<C: Collection>(_ data: C) throws where C.Element: FixedWidthInteger {
    try self.init(ShapedLayout(firstMajor: [data.count]), .int32)
    let target = dataPointer.assumingMemoryBound(to: Int32.self)
    for (index, element) in data.enumerated() {
      guard let value = Int32(exactly: element) else {
        throw MLModelError(.generic, "a multi-array of 32-bit integers cannot hold \(element)")
      }
      target[index] = value
    }
  }

  /// Creates a vector of fp32 numbers.
  ///
  /// - Throws: `MLModelError` if there is not enough memory.
  public convenience init<C: Collection>(_ data: C) throws where C.Element == Float {
    try self.init(ShapedLayout(firstMajor: [data.count]), .float32)
    let target = dataPointer.assumingMemoryBound(to: Float.self)
    for (index, element) in data.enumerated() { target[index] = element }
  }

  /// Creates a vector of double-precision numbers.
  ///
  /// - Throws: `MLModelError` if there is not enough memory.
  public convenience init<C: Collection>(_ data: C) throws where C.Element == Double {
    try self.init(ShapedLayout(firstMajor: [data.count]), .double)
    let target = dataPointer.assumingMemoryBound(to: Double.self)
    for (index, element) in data.enumerated() { target[index] = element }
  }

  /// Creates a dense array from a shaped array's scalars.
  public convenience init<A: MLShapedArrayProtocol>(_ shapedArray: A) {
    self.init(made: ShapedLayout(firstMajor: shapedArray.shape), A.Scalar.multiArrayDataType)
    shapedArray.withUnsafeShapedBufferPointer { source, shape, strides in
      guard let source = source.baseAddress, count > 0 else { return }
      StridedCopy(shape: shape, strides: strides, size: dataType.size).gather(from: source, to: dataPointer)
    }
  }

  // MARK: from arrays

  /// Concatenates arrays along an axis and converts their elements to a type. -1 is the last axis.
  ///
  /// - Precondition: there is at least one array, the rank is not 0, and the sizes of all other axes are equal.
  public convenience init(concatenating multiArrays: [MLMultiArray], axis: Int, dataType: MLMultiArrayDataType) {
    switch dataType {
    case .double: self.init(Self.joined(multiArrays, axis) as MLShapedArray<Double>)
    case .float32: self.init(Self.joined(multiArrays, axis) as MLShapedArray<Float>)
    case .float16: self.init(Self.joined(multiArrays, axis) as MLShapedArray<Float16>)
    case .int32: self.init(Self.joined(multiArrays, axis) as MLShapedArray<Int32>)
    case .int8: self.init(Self.joined(multiArrays, axis) as MLShapedArray<Int8>)
    }
  }

  private static func joined<Scalar>(_ arrays: [MLMultiArray], _ axis: Int) -> MLShapedArray<Scalar> {
    MLShapedArray(concatenating: arrays.map { MLShapedArray<Scalar>(converting: $0) }, alongAxis: axis)
  }
}
