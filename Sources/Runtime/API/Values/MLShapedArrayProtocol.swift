import Foundation

/// The common interface of `MLShapedArray` and `MLShapedArraySlice`: multi-dimensional arrays of numbers with value
/// semantics (copy on write).
///
/// As a collection, its elements are the slices along the first axis. Invalid indices and shapes are precondition
/// failures, as in Core ML, because programs create these values and files do not contain them.
public protocol MLShapedArrayProtocol<Scalar>: ExpressibleByArrayLiteral, MutableCollection, RandomAccessCollection
where Index == Int {
  /// The element type.
  associatedtype Scalar: MLShapedArrayScalar

  /// Creates an array that uses the caller's memory. The memory must not change until the deallocator is called.
  /// Strides are in scalars.
  init(bytesNoCopy bytes: UnsafeRawPointer, shape: [Int], strides: [Int], deallocator: Data.Deallocator)

  /// Creates an array of the given shape. `initializer` writes the scalars and gets the strides.
  init(
    unsafeUninitializedShape shape: [Int],
    initializingWith initializer: (_ ptr: inout UnsafeMutableBufferPointer<Scalar>, _ strides: [Int]) throws -> Void)
    rethrows

  /// The size of each axis; empty for a single scalar.
  var shape: [Int] { get }

  /// The stride of each axis: the distance between adjacent scalars, in scalars.
  var strides: [Int] { get }

  /// The slice within one range per axis; it has the same rank.
  subscript<C: Collection>(sliceRanges: C) -> MLShapedArraySlice<Scalar> where C.Element == Range<Int> { get set }

  /// The slice at an index of each leading axis, without these axes.
  subscript<C: Collection>(indices: C) -> MLShapedArraySlice<Scalar> where C.Element == Int { get set }

  /// The scalar at one index per axis.
  subscript<C: Collection>(scalarAt indices: C) -> Scalar where C.Element == Int { get set }

  /// Calls `body` with the memory. The scalar at (i0, i1, ...) is `ptr[i0 * strides[0] + i1 * strides[1] + ...]`.
  func withUnsafeShapedBufferPointer<R>(
    _ body: (_ ptr: UnsafeBufferPointer<Scalar>, _ shape: [Int], _ strides: [Int]) throws -> R
  ) rethrows -> R

  /// Calls `body` with writable memory. The strides may differ from those before the call.
  mutating func withUnsafeMutableShapedBufferPointer<R>(
    _ body: (_ ptr: inout UnsafeMutableBufferPointer<Scalar>, _ shape: [Int], _ strides: [Int]) throws -> R
  ) rethrows -> R
}

// MARK: scalars

extension MLShapedArrayProtocol {
  /// Whether the array has rank 0.
  public var isScalar: Bool { shape.isEmpty }

  /// The size of the first axis; 0 for an array of rank 0.
  public var count: Int { shape.first ?? 0 }

  /// The number of scalars.
  public var scalarCount: Int { ShapedLayout.count(shape) ?? 0 }

  /// The scalars in first-major order.
  ///
  /// - Precondition: a new value has the same number of scalars.
  public var scalars: [Scalar] {
    get {
      withUnsafeShapedBufferPointer { pointer, shape, strides in
        let count = ShapedLayout.count(shape) ?? 0
        return Array(unsafeUninitializedCapacity: count) { buffer, initialized in
          if let source = pointer.baseAddress, let target = buffer.baseAddress, count > 0 {
            StridedCopy(shape: shape, strides: strides, size: MemoryLayout<Scalar>.stride)
              .gather(from: source, to: target)
          }
          initialized = count
        }
      }
    }
    set {
      precondition(newValue.count == scalarCount, "\(newValue.count) scalars are given for an array of shape \(shape)")
      fill(with: newValue)
    }
  }

  /// The scalar of an array of rank 0; nil for any other.
  ///
  /// - Precondition: the property is set only on an array of rank 0, and not to nil.
  public var scalar: Scalar? {
    get { isScalar ? self[scalarAt: EmptyCollection<Int>()] : nil }
    set {
      guard let newValue else { preconditionFailure("the scalar of a shaped array cannot be removed") }
      self[scalarAt: EmptyCollection<Int>()] = newValue
    }
  }

  /// Sets every scalar.
  public mutating func fill(with value: Scalar) {
    guard scalarCount > 0 else { return }
    withUnsafeMutableShapedBufferPointer { buffer, shape, strides in
      let layout = ShapedLayout(shape: shape, strides: strides)
      guard !layout.isContiguous else { return buffer.update(repeating: value) }
      let values = Array(repeating: value, count: layout.count)
      values.withUnsafeBufferPointer { Self.scatter($0, buffer, layout) }
    }
  }

  /// Sets the scalars in first-major order to those of a collection, which repeats as often as needed.
  ///
  /// - Precondition: the collection is not empty, unless the array is.
  public mutating func fill<C: Collection>(with collection: C) where C.Element == Scalar {
    let count = scalarCount
    guard count > 0 else { return }
    precondition(!collection.isEmpty, "an array of shape \(shape) cannot be filled with nothing")
    var values: [Scalar] = []
    values.reserveCapacity(count)
    while values.count < count { values.append(contentsOf: collection.prefix(count - values.count)) }
    withUnsafeMutableShapedBufferPointer { buffer, shape, strides in
      let layout = ShapedLayout(shape: shape, strides: strides)
      values.withUnsafeBufferPointer { Self.scatter($0, buffer, layout) }
    }
  }

  /// Writes contiguous scalars to memory with a given layout.
  private static func scatter(
    _ source: UnsafeBufferPointer<Scalar>, _ target: UnsafeMutableBufferPointer<Scalar>, _ layout: ShapedLayout
  ) {
    guard let source = source.baseAddress, let target = target.baseAddress else { return }
    StridedCopy(shape: layout.shape, strides: layout.strides, size: MemoryLayout<Scalar>.stride)
      .scatter(from: source, to: target)
  }
}
