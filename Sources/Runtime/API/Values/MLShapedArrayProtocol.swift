import Foundation

/// What `MLShapedArray` and `MLShapedArraySlice` have in common: numbers in a grid of any rank, a value with copy on write.
///
/// As a collection it is one of slices along the first axis. Indices and shapes that do not fit are precondition failures, as in
/// Core ML: these values are made by a program, not read from a file.
public protocol MLShapedArrayProtocol<Scalar>: ExpressibleByArrayLiteral, MutableCollection, RandomAccessCollection
where Index == Int {
  /// The type of the elements.
  associatedtype Scalar: MLShapedArrayScalar

  /// An array over memory of the caller, which stays unchanged until the deallocator is called. Strides are in scalars.
  init(bytesNoCopy bytes: UnsafeRawPointer, shape: [Int], strides: [Int], deallocator: Data.Deallocator)

  /// An array of the given shape, whose scalars `initializer` writes; it learns the strides.
  init(
    unsafeUninitializedShape shape: [Int],
    initializingWith initializer: (_ ptr: inout UnsafeMutableBufferPointer<Scalar>, _ strides: [Int]) throws -> Void)
    rethrows

  /// The size of each axis; empty for a single scalar.
  var shape: [Int] { get }

  /// The distance in memory between neighbours on each axis, in scalars.
  var strides: [Int] { get }

  /// The part within a range an axis; of the same rank.
  subscript<C: Collection>(sliceRanges: C) -> MLShapedArraySlice<Scalar> where C.Element == Range<Int> { get set }

  /// The part at an index of each leading axis; these axes are gone from it.
  subscript<C: Collection>(indices: C) -> MLShapedArraySlice<Scalar> where C.Element == Int { get set }

  /// The scalar at an index of every axis.
  subscript<C: Collection>(scalarAt indices: C) -> Scalar where C.Element == Int { get set }

  /// Hands out the memory: the scalar at (i0, i1, ...) is `ptr[i0 * strides[0] + i1 * strides[1] + ...]`.
  func withUnsafeShapedBufferPointer<R>(
    _ body: (_ ptr: UnsafeBufferPointer<Scalar>, _ shape: [Int], _ strides: [Int]) throws -> R
  ) rethrows -> R

  /// Hands out memory to write to; the strides may be others than before.
  mutating func withUnsafeMutableShapedBufferPointer<R>(
    _ body: (_ ptr: inout UnsafeMutableBufferPointer<Scalar>, _ shape: [Int], _ strides: [Int]) throws -> R
  ) rethrows -> R
}

// MARK: scalars

extension MLShapedArrayProtocol {
  /// Whether the array is one number, of rank 0.
  public var isScalar: Bool { shape.isEmpty }

  /// The size of the first axis; 0 for a single scalar.
  public var count: Int { shape.first ?? 0 }

  /// The number of scalars.
  public var scalarCount: Int { ShapedLayout.count(shape) ?? 0 }

  /// The scalars in first-major order.
  ///
  /// - Precondition: what is set has as many.
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

  /// The number of an array of rank 0; nil for any other.
  ///
  /// - Precondition: only an array of rank 0 is set, and to a number.
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

  /// Sets the scalars in first-major order to those of a collection, over and over.
  ///
  /// - Precondition: the collection has a scalar, unless the array has none.
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

  /// Writes dense scalars to where a layout has them.
  private static func scatter(
    _ source: UnsafeBufferPointer<Scalar>, _ target: UnsafeMutableBufferPointer<Scalar>, _ layout: ShapedLayout
  ) {
    guard let source = source.baseAddress, let target = target.baseAddress else { return }
    StridedCopy(shape: layout.shape, strides: layout.strides, size: MemoryLayout<Scalar>.stride)
      .scatter(from: source, to: target)
  }
}
