import CoreMLImages
import Foundation

/// A multi-dimensional array of numbers with value semantics: the Swift counterpart of `MLMultiArray`.
///
/// Copies share memory until one of them is written to. Invalid shapes, strides and indices are precondition failures,
/// as in Core ML.
public struct MLShapedArray<Scalar: MLShapedArrayScalar>: MLShapedArrayProtocol, Sendable {
  public typealias ArrayLiteralElement = Scalar
  public typealias Element = MLShapedArraySlice<Scalar>
  public typealias Index = Int
  public typealias Indices = Range<Int>
  public typealias SubSequence = MLShapedArraySlice<Scalar>

  var view: ShapedView<Scalar>

  init(view: ShapedView<Scalar>) { self.view = view }

  public init(bytesNoCopy bytes: UnsafeRawPointer, shape: [Int], strides: [Int], deallocator: Data.Deallocator) {
    let layout = ShapedLayout(shape: shape, strides: strides)
    view = ShapedView(ShapedStorage(bytesNoCopy: bytes, count: layout.extent, deallocator: deallocator), layout)
  }

  public init(
    unsafeUninitializedShape shape: [Int],
    initializingWith initializer: (_ ptr: inout UnsafeMutableBufferPointer<Scalar>, _ strides: [Int]) throws -> Void
  ) rethrows {
    let layout = ShapedLayout(firstMajor: shape)
    view = ShapedView(ShapedStorage(count: layout.extent), layout)
    try view.write { buffer, _, strides in try initializer(&buffer, strides) }
  }

  /// Creates an array that uses the pixels of an image as its memory. Writing to the array changes the image as long as
  /// no copy of the array shares the memory.
  ///
  /// - Precondition: the pixel format is one-component fp16 for `Float16`, one-component 8-bit for `Int8`. The width is
  ///   the last size of the shape; the height is the product of the others. The row stride is a multiple of the
  ///   scalar's size.
  public init(mutating pixelBuffer: CVPixelBuffer, shape: [Int]) { view = ShapedView(mutating: pixelBuffer, shape) }

  /// Creates an array from a slice. The memory is shared until one of the two is written to.
  public init(_ slice: MLShapedArraySlice<Scalar>) { view = slice.view }

  public var shape: [Int] { view.layout.shape }
  public var strides: [Int] { view.layout.strides }

  public var startIndex: Int { 0 }
  public var endIndex: Int { shape.first ?? 0 }
  public var indices: Range<Int> { 0..<endIndex }

  public subscript<C: Collection>(sliceRanges: C) -> MLShapedArraySlice<Scalar> where C.Element == Range<Int> {
    get { MLShapedArraySlice(view: view[ranges: sliceRanges]) }
    set { view[ranges: sliceRanges] = newValue.view }
  }

  public subscript<C: Collection>(indices: C) -> MLShapedArraySlice<Scalar> where C.Element == Int {
    get { MLShapedArraySlice(view: view[indices: indices]) }
    set { view[indices: indices] = newValue.view }
  }

  public subscript<C: Collection>(scalarAt indices: C) -> Scalar where C.Element == Int {
    get { view.scalar(at: indices) }
    set { view.setScalar(newValue, at: indices) }
  }

  public func withUnsafeShapedBufferPointer<R>(
    _ body: (_ ptr: UnsafeBufferPointer<Scalar>, _ shape: [Int], _ strides: [Int]) throws -> R
  ) rethrows -> R { try view.read(body) }

  public mutating func withUnsafeMutableShapedBufferPointer<R>(
    _ body: (_ ptr: inout UnsafeMutableBufferPointer<Scalar>, _ shape: [Int], _ strides: [Int]) throws -> R
  ) rethrows -> R { try view.write(body) }

  /// Calls `body` with writable memory in the given layout, which the array keeps.
  public mutating func withUnsafeMutableShapedBufferPointer<R>(
    using bufferLayout: MLShapedArrayBufferLayout,
    _ body: (_ ptr: inout UnsafeMutableBufferPointer<Scalar>, _ shape: [Int], _ strides: [Int]) throws -> R
  ) rethrows -> R { try view.write(using: bufferLayout, body) }

  /// Calls `body` with the pixel buffer that holds the scalars. Returns nil without a call if the scalars are in other
  /// memory.
  public func withPixelBufferIfAvailable<R>(_ body: (_ pixelBuffer: CVPixelBuffer) throws -> R) rethrows -> R? {
    try view.storage.pixelBuffer.map(body)
  }

  /// Calls `body` with the pixel buffer, for writing. Returns nil without a call if the scalars are in other memory, or
  /// if another copy of the array shares the pixel buffer.
  public mutating func withMutablePixelBufferIfAvailable<R>(
    _ body: (_ pixelBuffer: CVPixelBuffer) throws -> R
  ) rethrows -> R? {
    guard view.storage.pixelBuffer != nil else { return nil }
    view.write { _, _, _ in }
    return try view.storage.pixelBuffer.map(body)
  }
}
