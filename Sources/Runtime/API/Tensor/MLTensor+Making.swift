import Foundation
import MIL

extension MLTensor {
  init(_ tensor: Tensor) { self.init(TensorValue(tensor)) }

  /// Creates a tensor in new zero-filled memory; `fill` writes to it.
  ///
  /// - Precondition: no size is negative, and there is enough memory.
  init(_ scalar: ScalarType, _ shape: [Int], _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
    let tensor: Tensor
    do { tensor = try Tensor.zeros(scalar, shape: shape) } catch { preconditionFailure("\(error)") }
    try fill(UnsafeMutableRawBufferPointer(start: tensor.storage.mutablePointer, count: tensor.byteCount))
    self.init(tensor)
  }

  // MARK: from scalars

  /// Creates a tensor of rank 0.
  public init<Scalar: MLTensorScalar>(_ scalar: Scalar, scalarType: Scalar.Type = Scalar.self) {
    self.init(shape: [], scalars: CollectionOfOne(scalar), scalarType: scalarType)
  }

  /// Creates a tensor of rank 1.
  public init<Scalar: MLTensorScalar>(_ scalars: some Collection<Scalar>, scalarType: Scalar.Type = Scalar.self) {
    self.init(shape: [scalars.count], scalars: scalars, scalarType: scalarType)
  }

  /// Creates a tensor from scalars in row-major order.
  ///
  /// - Precondition: the number of scalars matches the shape.
  public init<Scalar: MLTensorScalar>(
    shape: [Int], scalars: some Collection<Scalar>, scalarType: Scalar.Type = Scalar.self
  ) {
    precondition(
      ShapedLayout.count(shape) == scalars.count, "\(scalars.count) scalars are given for the shape \(shape)")
    self.init(TensorScalars.scalar(scalarType), shape) { bytes in
      let target = bytes.bindMemory(to: Scalar.self)
      for (place, scalar) in scalars.enumerated() { target[place] = scalar }
    }
  }

  /// Creates a tensor from the bytes of scalars in row-major order. The bytes are copied.
  ///
  /// - Precondition: the number of bytes matches the shape and the type.
  public init(shape: [Int], data: Data, scalarType: any MLTensorScalar.Type) {
    self.init(TensorScalars.scalar(scalarType), shape) { bytes in
      precondition(bytes.count == data.count, "\(data.count) bytes are given for the shape \(shape) of \(scalarType)")
      data.copyBytes(to: bytes)
    }
  }

  /// Creates a tensor that uses the caller's memory. The memory must not change until the deallocator is called.
  ///
  /// - Precondition: the buffer has at least as many bytes as the shape and the type require.
  public init(
    bytesNoCopy bytes: UnsafeRawBufferPointer, shape: [Int], scalarType: any MLTensorScalar.Type,
    deallocator: Data.Deallocator
  ) {
    let scalar = TensorScalars.scalar(scalarType)
    guard let size = ShapedLayout.count(shape).flatMap({ scalar.byteCount(for: $0) }), size <= bytes.count else {
      preconditionFailure("\(bytes.count) bytes are given for the shape \(shape) of \(scalarType)")
    }
    // An empty buffer may have no base address; then there is nothing to release.
    guard let base = bytes.baseAddress else {
      self.init(zeros: shape, scalarType: scalarType)
      return
    }
    let owner = ForeignMemory(base, bytes.count, deallocator)
    let storage = TensorStorage(borrowing: base, byteCount: size, owner: owner)
    do { self.init(try Tensor(scalar, shape: shape, storage: storage)) } catch { preconditionFailure("\(error)") }
  }

  /// Creates a tensor whose memory `initializer` writes, in row-major order. The memory is zero-filled before.
  public init(
    unsafeUninitializedShape shape: [Int], scalarType: any MLTensorScalar.Type,
    initializingWith initializer: (UnsafeMutableRawBufferPointer) throws -> Void
  ) rethrows {
    try self.init(TensorScalars.scalar(scalarType), shape, initializer)
  }

  /// Creates a tensor from a copy of a shaped array's scalars.
  public init<Scalar: MLShapedArrayScalar & MLTensorScalar>(_ shapedArray: some MLShapedArrayProtocol<Scalar>) {
    self.init(TensorScalars.scalar(Scalar.self), shapedArray.shape) { bytes in
      shapedArray.withUnsafeShapedBufferPointer { source, shape, strides in
        guard let source = source.baseAddress, let target = bytes.baseAddress, bytes.count > 0 else { return }
        StridedCopy(shape: shape, strides: strides, size: MemoryLayout<Scalar>.stride).gather(from: source, to: target)
      }
    }
  }

  /// Creates a tensor of type `Float` from scalars in row-major order.
  ///
  /// - Precondition: the number of scalars matches the shape.
  public init(shape: [Int], scalars: [Float]) { self.init(shape: shape, scalars: scalars, scalarType: Float.self) }

  /// Creates a tensor of rank 1 of type `Float`.
  public init(_ scalars: [Float]) { self.init(scalars, scalarType: Float.self) }

  // MARK: patterns

  /// Creates a tensor of type `Float` that repeats one scalar.
  public init(repeating repeatedValue: Float, shape: [Int]) {
    self.init(repeating: repeatedValue, shape: shape, scalarType: Float.self)
  }

  /// Creates a tensor that repeats one scalar.
  public init<Scalar: MLTensorScalar>(
    repeating repeatedValue: Scalar, shape: [Int], scalarType: Scalar.Type = Scalar.self
  ) {
    self.init(TensorScalars.scalar(scalarType), shape) {
      $0.bindMemory(to: Scalar.self).update(repeating: repeatedValue)
    }
  }

  /// Creates a tensor of zeros, or of `false` for `Bool`.
  public init(zeros shape: [Int], scalarType: any MLTensorScalar.Type) {
    self.init(TensorScalars.scalar(scalarType), shape) { _ in }
  }

  /// Creates a tensor of ones, or of `true` for `Bool`.
  public init(ones shape: [Int], scalarType: any MLTensorScalar.Type) {
    self.init(repeating: 1, TensorScalars.scalar(scalarType), shape)
  }

  private init(repeating value: Double, _ scalar: ScalarType, _ shape: [Int]) {
    let one: Tensor
    do { one = try Tensor(scalar, shape: [1], doubles: [value]) } catch { preconditionFailure("\(error)") }
    self.init(scalar, shape) { target in
      one.withUnsafeBytes { source in
        for place in stride(from: 0, to: target.count, by: source.count) {
          UnsafeMutableRawBufferPointer(rebasing: target[place..<place + source.count]).copyMemory(from: source)
        }
      }
    }
  }

  /// Creates a vector of the numbers from `start` up to but not including `end`, in steps of `stride`. The numbers are
  /// computed in double precision.
  ///
  /// - Precondition: the stride is not 0, and the range is finite.
  public init<Scalar: MLTensorScalar & Strideable>(
    rangeFrom start: Scalar, to end: Scalar, by stride: Scalar.Stride, scalarType: Scalar.Type = Scalar.self
  ) {
    precondition(stride != 0, "the stride of a range cannot be 0")
    let (first, step) = (Self.double(start), Self.double(stride))
    // The count is computed up front: repeated addition could stall due to rounding, or overflow the type before it
    // reaches the end.
    guard let count = Int(exactly: ((Self.double(end) - first) / step).rounded(.up)) else {
      preconditionFailure("the range from \(start) to \(end) by \(stride) does not end")
    }
    let numbers = (0..<Swift.max(count, 0)).map { first + step * Double($0) }
    do {
      self.init(try Tensor(TensorScalars.scalar(scalarType), shape: [numbers.count], doubles: numbers))
    } catch { preconditionFailure("\(error)") }
  }

  /// Creates a vector of the `Float` numbers from `start` up to but not including `end`, in steps of `stride`. The
  /// numbers are computed in double precision.
  ///
  /// - Precondition: the stride is not 0, and the range is finite.
  public init(rangeFrom start: Float, to end: Float, by stride: Float) {
    self.init(rangeFrom: start, to: end, by: stride, scalarType: Float.self)
  }

  private static func double<Scalar>(_ value: Scalar) -> Double {
    switch value {
    case let value as any BinaryInteger: Double(value)
    case let value as any BinaryFloatingPoint: Double(value)
    default: preconditionFailure("\(Scalar.self) is no type of tensors")
    }
  }

  /// Creates a vector of `count` equally spaced numbers from `start` through `end`.
  ///
  /// - Precondition: the count is not negative.
  public init<Scalar: MLTensorScalar & BinaryFloatingPoint>(
    linearSpaceFrom start: Scalar, through end: Scalar, count: Int, scalarType: Scalar.Type = Scalar.self
  ) {
    precondition(count >= 0, "\(count) numbers cannot be made")
    let steps = Double(Swift.max(count - 1, 1))
    let (first, last) = (Double(start), Double(end))
    self.init(
      (0..<count).map { Scalar($0 == count - 1 && count > 1 ? last : first + (last - first) * Double($0) / steps) },
      scalarType: scalarType)
  }

  /// Creates a vector of `count` equally spaced `Float` numbers from `start` through `end`.
  ///
  /// - Precondition: the count is not negative.
  public init(linearSpaceFrom start: Float, through end: Float, count: Int) {
    self.init(linearSpaceFrom: start, through: end, count: count, scalarType: Float.self)
  }

  // MARK: from other tensors

  /// Stacks tensors of one shape along a new axis, like `init(stacking:alongAxis:)`.
  public init(_ elements: some Collection<MLTensor>, alongAxis axis: Int = 0) {
    self.init(stacking: elements, alongAxis: axis)
  }

  /// Concatenates tensors along an axis.
  ///
  /// - Precondition: there is at least one tensor, and the sizes of all other axes are equal.
  public init(concatenating tensors: some Collection<MLTensor>, alongAxis axis: Int = 0) {
    guard let first = tensors.first else { preconditionFailure("there is nothing to concatenate") }
    let scalar = tensors.dropFirst().reduce(first.scalar) { TensorScalars.common($0, $1.scalar) }
    self = MLTensor.operation(
      "concat", ["values": .tensors(tensors.map { $0.cast(scalar) }), "axis": .int(first.axis(axis))])
  }

  /// Stacks tensors of one shape along a new axis.
  ///
  /// - Precondition: there is at least one tensor, and all have the same shape.
  public init(stacking tensors: some Collection<MLTensor>, alongAxis axis: Int = 0) {
    guard let first = tensors.first else { preconditionFailure("there is nothing to stack") }
    let scalar = tensors.dropFirst().reduce(first.scalar) { TensorScalars.common($0, $1.scalar) }
    self = MLTensor.operation(
      "stack",
      ["values": .tensors(tensors.map { $0.cast(scalar) }), "axis": .int(first.axis(axis, of: first.rank + 1))])
  }
}

/// Memory that belongs to the caller; the deallocator runs when the last reader is gone.
private final class ForeignMemory: Sendable {
  private nonisolated(unsafe) let data: NSData

  init(_ bytes: UnsafeRawPointer, _ count: Int, _ deallocator: Data.Deallocator) {
    data = NSData(
      bytesNoCopy: UnsafeMutableRawPointer(mutating: bytes), length: count,
      deallocator: { pointer, count in ForeignMemory.release(deallocator, pointer, count) })
  }

  private static func release(_ deallocator: Data.Deallocator, _ pointer: UnsafeMutableRawPointer, _ count: Int) {
    switch deallocator {
    case .free: free(pointer)
    case .unmap: munmap(pointer, count)
    case .custom(let release): release(pointer, count)
    default: break
    }
  }
}
