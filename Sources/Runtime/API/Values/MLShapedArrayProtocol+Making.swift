import Foundation

extension MLShapedArrayProtocol {
  /// Creates an array of rank 1.
  public init(arrayLiteral elements: Scalar...) { self.init(scalars: elements, shape: [elements.count]) }

  /// Creates an array of rank 0.
  public init(scalar: Scalar) { self.init(repeating: scalar, shape: []) }

  /// Creates an array that repeats one scalar.
  public init(repeating value: Scalar, shape: [Int]) {
    self.init(unsafeUninitializedShape: shape) { buffer, _ in buffer.initialize(repeating: value) }
  }

  /// Creates an array from the first scalars of a sequence, in first-major order.
  ///
  /// - Precondition: the sequence has at least as many scalars as the shape.
  public init<S: Sequence>(scalars: S, shape: [Int]) where S.Element == Scalar {
    self.init(unsafeUninitializedShape: shape) { buffer, _ in
      let count = buffer.count
      let isCopied = scalars.withContiguousStorageIfAvailable { source in
        precondition(source.count >= count, "\(source.count) scalars are given for the shape \(shape)")
        _ = buffer.initialize(from: source.prefix(count))
        return true
      }
      guard isCopied == nil else { return }
      let (_, initialized) = buffer.initialize(from: scalars)
      precondition(initialized == count, "\(initialized) scalars are given for the shape \(shape)")
    }
  }

  /// Creates an array from a copy of the scalars in `data`, which are contiguous in first-major order.
  ///
  /// - Precondition: the data holds at least as many scalars as the shape.
  public init(data: Data, shape: [Int]) {
    self.init(data: data, shape: shape, strides: ShapedLayout(firstMajor: shape).strides)
  }

  /// Creates a contiguous array from a copy of the scalars in `data`, which are laid out with the given strides.
  ///
  /// - Precondition: the data reaches to the last scalar.
  public init(data: Data, shape: [Int], strides: [Int]) {
    let layout = ShapedLayout(shape: shape, strides: strides)
    let size = MemoryLayout<Scalar>.stride
    precondition(
      data.count / size >= layout.extent,
      "\(data.count) bytes of data do not hold the shape \(shape) with the strides \(strides)")
    self.init(unsafeUninitializedShape: shape) { buffer, _ in
      data.withUnsafeBytes { source in
        guard layout.count > 0, let source = source.baseAddress, let target = buffer.baseAddress else { return }
        StridedCopy(shape: shape, strides: strides, size: size).gather(from: source, to: target)
      }
    }
  }

  /// Creates an array that uses the caller's memory, contiguous in first-major order. The memory must not change until
  /// the deallocator is called.
  public init(bytesNoCopy bytes: UnsafeRawPointer, shape: [Int], deallocator: Data.Deallocator) {
    self.init(
      bytesNoCopy: bytes, shape: shape, strides: ShapedLayout(firstMajor: shape).strides, deallocator: deallocator)
  }

  /// Concatenates arrays along an axis; -1 is the last one.
  ///
  /// - Precondition: there is at least one array, the rank is not 0, and the sizes of all other axes are equal.
  public init<S: Sequence>(concatenating shapedArrays: S, alongAxis: Int)
  where S.Element: MLShapedArrayProtocol, S.Element.Scalar == Scalar {
    let parts = Array(shapedArrays)
    var shape = parts.first?.shape ?? []
    precondition(!shape.isEmpty, "there is nothing to concatenate, or it has no axis")
    let axis = alongAxis < 0 ? alongAxis + shape.count : alongAxis
    precondition(shape.indices.contains(axis), "the shape \(shape) has no axis \(alongAxis)")
    for part in parts.dropFirst() {
      let (sum, overflow) = shape[axis].addingReportingOverflow(part.shape.count == shape.count ? part.shape[axis] : 0)
      var expected = part.shape
      if expected.count == shape.count { expected[axis] = shape[axis] }
      precondition(
        expected == shape && !overflow,
        "arrays of the shapes \(parts.map(\.shape)) cannot be concatenated along axis \(alongAxis)")
      shape[axis] = sum
    }
    self.init(unsafeUninitializedShape: shape) { buffer, strides in
      var place = 0
      for part in parts {
        let scalars = part.scalars
        scalars.withUnsafeBufferPointer { source in
          guard !scalars.isEmpty, let source = source.baseAddress, let target = buffer.baseAddress else { return }
          StridedCopy(shape: part.shape, strides: strides, size: MemoryLayout<Scalar>.stride)
            .scatter(from: source, to: target + place)
        }
        place += part.shape[axis] * strides[axis]
      }
    }
  }
}

// MARK: conversion

extension MLShapedArrayProtocol {
  /// Creates an array by converting another array's scalars to this scalar type. Floating-point values are truncated
  /// toward zero to integers; values out of range become the nearest representable value, and NaN becomes 0. Integers
  /// that are narrowed keep their low bits.
  public init<T: MLShapedArrayProtocol>(converting source: T) {
    let values = source.scalars
    self.init(unsafeUninitializedShape: source.shape) { buffer, _ in
      values.withUnsafeBytes { source in
        guard let source = source.baseAddress, let target = buffer.baseAddress else { return }
        Casting.convert(
          source, T.Scalar.multiArrayDataType.scalar, to: target, Scalar.multiArrayDataType.scalar,
          count: values.count)
      }
    }
  }

  /// Creates an array that uses the memory of a multi-array and retains it. The first write to this array copies the
  /// memory.
  ///
  /// - Precondition: the multi-array's elements have this scalar type.
  public init(_ multiArray: MLMultiArray) {
    precondition(
      multiArray.dataType == Scalar.multiArrayDataType,
      "a multi-array of \(multiArray.dataType) is no shaped array of \(Scalar.self)")
    self.init(
      bytesNoCopy: multiArray.dataPointer, shape: multiArray.shape.map(\.intValue),
      strides: multiArray.strides.map(\.intValue), deallocator: .custom { _, _ in withExtendedLifetime(multiArray) {} })
  }

  /// Creates an array by converting a multi-array's elements to this scalar type, with the rules of `init(converting:)`
  /// of a shaped array.
  public init(converting multiArray: MLMultiArray) {
    switch multiArray.dataType {
    case .double: self.init(converting: MLShapedArray<Double>(multiArray))
    case .float32: self.init(converting: MLShapedArray<Float>(multiArray))
    case .float16: self.init(converting: MLShapedArray<Float16>(multiArray))
    case .int32: self.init(converting: MLShapedArray<Int32>(multiArray))
    case .int8: self.init(converting: MLShapedArray<Int8>(multiArray))
    }
  }
}

// MARK: numeric initializers

extension MLShapedArrayProtocol where Scalar: BinaryFloatingPoint, Scalar.RawSignificand: FixedWidthInteger {
  /// Creates the identity matrix with `size` rows and columns.
  public init(identityMatrixOfSize size: Int) { self.init(diagonal: 1, zero: 0, size: size) }

  /// Creates an array of uniformly distributed random scalars in a half-open range.
  public init(randomScalarsIn range: Range<Scalar>, shape: [Int]) {
    self.init(unsafeUninitializedShape: shape) { buffer, _ in
      for index in buffer.indices { buffer[index] = Scalar.random(in: range) }
    }
  }

  /// Creates an array of uniformly distributed random scalars in a closed range.
  public init(randomScalarsIn range: ClosedRange<Scalar>, shape: [Int]) {
    self.init(unsafeUninitializedShape: shape) { buffer, _ in
      for index in buffer.indices { buffer[index] = Scalar.random(in: range) }
    }
  }
}

extension MLShapedArrayProtocol where Scalar: FixedWidthInteger {
  /// Creates the identity matrix with `size` rows and columns.
  public init(identityMatrixOfSize size: Int) { self.init(diagonal: 1, zero: 0, size: size) }

  /// Creates an array of uniformly distributed random scalars in a half-open range.
  public init(randomScalarsIn range: Range<Scalar>, shape: [Int]) {
    self.init(unsafeUninitializedShape: shape) { buffer, _ in
      for index in buffer.indices { buffer[index] = Scalar.random(in: range) }
    }
  }

  /// Creates an array of uniformly distributed random scalars in a closed range.
  public init(randomScalarsIn range: ClosedRange<Scalar>, shape: [Int]) {
    self.init(unsafeUninitializedShape: shape) { buffer, _ in
      for index in buffer.indices { buffer[index] = Scalar.random(in: range) }
    }
  }
}

extension MLShapedArrayProtocol {
  private init(diagonal: Scalar, zero: Scalar, size: Int) {
    self.init(unsafeUninitializedShape: [size, size]) { buffer, strides in
      buffer.initialize(repeating: zero)
      for index in 0..<size { buffer[index * strides[0] + index * strides[1]] = diagonal }
    }
  }
}
