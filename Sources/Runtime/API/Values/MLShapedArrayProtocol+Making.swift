import Foundation

extension MLShapedArrayProtocol {
  /// An array of rank 1.
  public init(arrayLiteral elements: Scalar...) { self.init(scalars: elements, shape: [elements.count]) }

  /// An array of rank 0.
  public init(scalar: Scalar) { self.init(repeating: scalar, shape: []) }

  /// An array whose scalars are all the same.
  public init(repeating value: Scalar, shape: [Int]) {
    self.init(unsafeUninitializedShape: shape) { buffer, _ in buffer.initialize(repeating: value) }
  }

  /// An array of the first scalars of a sequence, in first-major order.
  ///
  /// - Precondition: the sequence has as many scalars as the shape, or more.
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

  /// An array of the scalars in `data`, dense in first-major order; they are copied.
  ///
  /// - Precondition: the data holds as many scalars as the shape, or more.
  public init(data: Data, shape: [Int]) {
    self.init(data: data, shape: shape, strides: ShapedLayout(firstMajor: shape).strides)
  }

  /// An array of the scalars that lie in `data` by strides; they are copied, and densely.
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

  /// An array over dense memory of the caller, in first-major order, which stays unchanged until the deallocator is called.
  public init(bytesNoCopy bytes: UnsafeRawPointer, shape: [Int], deallocator: Data.Deallocator) {
    self.init(
      bytesNoCopy: bytes, shape: shape, strides: ShapedLayout(firstMajor: shape).strides, deallocator: deallocator)
  }

  /// Arrays behind one another on an axis; -1 is the last one.
  ///
  /// - Precondition: there is an array, their rank is not 0, and they have the same sizes on the other axes.
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

// MARK: other scalars

extension MLShapedArrayProtocol {
  /// The scalars of another array as numbers of this type. Floats become integers by truncation toward zero; those beyond the
  /// type's range become its nearest number, NaN becomes 0. Integers keep their low bits.
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

  /// An array over the memory of a multi-array, which is kept and seen, not copied; writing to this one copies first.
  ///
  /// - Precondition: the multi-array's elements are of the scalar's type.
  public init(_ multiArray: MLMultiArray) {
    precondition(
      multiArray.dataType == Scalar.multiArrayDataType,
      "a multi-array of \(multiArray.dataType) is no shaped array of \(Scalar.self)")
    self.init(
      bytesNoCopy: multiArray.dataPointer, shape: multiArray.shape.map(\.intValue),
      strides: multiArray.strides.map(\.intValue), deallocator: .custom { _, _ in withExtendedLifetime(multiArray) {} })
  }

  /// The elements of a multi-array as numbers of this type, as `init(converting:)` of a shaped array converts them.
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

// MARK: made of numbers

extension MLShapedArrayProtocol where Scalar: BinaryFloatingPoint, Scalar.RawSignificand: FixedWidthInteger {
  /// The identity matrix of `size` rows and columns.
  public init(identityMatrixOfSize size: Int) { self.init(diagonal: 1, zero: 0, size: size) }

  /// Scalars drawn evenly from a range.
  public init(randomScalarsIn range: Range<Scalar>, shape: [Int]) {
    self.init(unsafeUninitializedShape: shape) { buffer, _ in
      for index in buffer.indices { buffer[index] = Scalar.random(in: range) }
    }
  }

  /// Scalars drawn evenly from a range with its ends.
  public init(randomScalarsIn range: ClosedRange<Scalar>, shape: [Int]) {
    self.init(unsafeUninitializedShape: shape) { buffer, _ in
      for index in buffer.indices { buffer[index] = Scalar.random(in: range) }
    }
  }
}

extension MLShapedArrayProtocol where Scalar: FixedWidthInteger {
  /// The identity matrix of `size` rows and columns.
  public init(identityMatrixOfSize size: Int) { self.init(diagonal: 1, zero: 0, size: size) }

  /// Scalars drawn evenly from a range.
  public init(randomScalarsIn range: Range<Scalar>, shape: [Int]) {
    self.init(unsafeUninitializedShape: shape) { buffer, _ in
      for index in buffer.indices { buffer[index] = Scalar.random(in: range) }
    }
  }

  /// Scalars drawn evenly from a range with its ends.
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
