import CoreMLBase
import CoreMLImages
import Foundation
import MIL

/// A multi-dimensional array of numbers with reference semantics. The element at an index is stored at `sum(index *
/// stride)` elements from `dataPointer`.
///
/// Initializers throw for an invalid shape or stride. An invalid index, shape or type in any other use is a
/// precondition failure, where Core ML raises an exception.
// More than 400 lines over its files: Core ML has all these members on this one type.
// Sendable: as in Core ML, the caller must not write while other threads read
open class MLMultiArray: NSObject, NSSecureCoding, @unchecked Sendable {
  /// The element type.
  public let dataType: MLMultiArrayDataType
  /// The size of each axis.
  public var shape: [NSNumber] { layout.shape.map { NSNumber(value: $0) } }
  /// The stride of each axis: the distance between adjacent elements, in elements.
  public var strides: [NSNumber] { layout.strides.map { NSNumber(value: $0) } }
  /// A pointer to the first element. Prefer closures like `withUnsafeBytes`, which also pass the extent.
  public let dataPointer: UnsafeMutableRawPointer
  /// The image whose pixels are the elements; nil for an array in other memory.
  public let pixelBuffer: CVPixelBuffer?
  /// The number of elements.
  public let count: Int

  let layout: ShapedLayout
  private let release: (UnsafeMutableRawPointer) -> Void

  init(
    _ pointer: UnsafeMutableRawPointer, _ layout: ShapedLayout, _ dataType: MLMultiArrayDataType,
    pixelBuffer: PixelBuffer? = nil, release: @escaping (UnsafeMutableRawPointer) -> Void
  ) {
    dataPointer = pointer
    self.layout = layout
    self.dataType = dataType
    self.pixelBuffer = pixelBuffer
    self.release = release
    count = layout.count
    super.init()
  }

  /// Creates an array in new memory. The memory is zero-filled, unless `isWritten` says that all of it is written
  /// before it is read.
  ///
  /// - Throws: `MLModelError` if there is not enough memory.
  convenience init(_ layout: ShapedLayout, _ dataType: MLMultiArrayDataType, isWritten: Bool = false) throws {
    let bytes = layout.extent * dataType.size
    try MLModelError.wrapping(.generic) { try MemoryBudget.current.admit(bytes, for: "a multi-array") }
    guard let memory = isWritten ? ResultMemory.shared.allocate(bytes) : ZeroedMemory.allocate(bytes) else {
      throw MLModelError(.generic, "there is no memory for a multi-array of \(bytes) bytes")
    }
    self.init(memory.pointer, layout, dataType) { _ in memory.release() }
  }

  deinit { release(dataPointer) }

  static func contiguous(_ sizes: [Int]) -> [Int] {
    var steps = Array(repeating: 1, count: sizes.count)
    for axis in stride(from: sizes.count - 2, through: 0, by: -1) {
      steps[axis] = steps[axis + 1] * Swift.max(sizes[axis + 1], 1)
    }
    return steps
  }

  // MARK: elements

  /// The element at a linear index in first-major order.
  ///
  /// - Precondition: the index is at least 0 and less than `count`.
  public subscript(index: Int) -> NSNumber {
    get { load(offset(index)) }
    set { store(newValue, offset(index)) }
  }

  /// The element at one index per axis.
  ///
  /// - Precondition: there is an index for every axis, and it is in range.
  public subscript(index: [NSNumber]) -> NSNumber {
    get { load(offset(index)) }
    set { store(newValue, offset(index)) }
  }

  private func offset(_ index: Int) -> Int {
    precondition(index >= 0 && index < count, "index \(index) is not within a multi-array of \(count) elements")
    var rest = index
    var offset = 0
    for (size, stride) in zip(layout.shape, layout.strides).reversed() {
      offset += rest % size * stride
      rest /= size
    }
    return offset
  }

  private func offset(_ index: [NSNumber]) -> Int {
    precondition(index.count == layout.shape.count, "\(index.count) indices do not name an element of \(layout.shape)")
    return layout.offset(index.map(\.intValue))
  }

  private func load(_ offset: Int) -> NSNumber {
    let place = offset * dataType.size
    switch dataType {
    case .double: return NSNumber(value: dataPointer.loadUnaligned(fromByteOffset: place, as: Double.self))
    case .float32: return NSNumber(value: dataPointer.loadUnaligned(fromByteOffset: place, as: Float.self))
    case .float16: return NSNumber(value: Float(dataPointer.loadUnaligned(fromByteOffset: place, as: Float16.self)))
    case .int32: return NSNumber(value: dataPointer.loadUnaligned(fromByteOffset: place, as: Int32.self))
    case .int8: return NSNumber(value: dataPointer.loadUnaligned(fromByteOffset: place, as: Int8.self))
    }
  }

  private func store(_ value: NSNumber, _ offset: Int) {
    let place = offset * dataType.size
    switch dataType {
    case .double: dataPointer.storeBytes(of: value.doubleValue, toByteOffset: place, as: Double.self)
    case .float32: dataPointer.storeBytes(of: value.floatValue, toByteOffset: place, as: Float.self)
    case .float16: dataPointer.storeBytes(of: Float16(value.floatValue), toByteOffset: place, as: Float16.self)
    case .int32: dataPointer.storeBytes(of: value.int32Value, toByteOffset: place, as: Int32.self)
    case .int8: dataPointer.storeBytes(of: value.int8Value, toByteOffset: place, as: Int8.self)
    }
  }

  // MARK: text and archives

  /// The type and shape, and the elements of a vector or matrix.
  override open var description: String { text() }

  /// Arrays support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the type, the shape, and the elements in first-major order.
  open func encode(with coder: NSCoder) {
    let dense = Data(count: count * dataType.size)
    coder.encode(dataType.rawValue, forKey: "dataType")
    coder.encode(layout.shape.map { NSNumber(value: $0) } as NSArray, forKey: "shape")
    var elements = dense
    elements.withUnsafeMutableBytes { target in
      guard let target = target.baseAddress, count > 0 else { return }
      StridedCopy(shape: layout.shape, strides: layout.strides, size: dataType.size).gather(
        from: dataPointer, to: target)
    }
    coder.encode(elements as NSData, forKey: "elements")
  }

  /// Decodes an array; nil if the elements in the archive do not match the shape.
  public required convenience init?(coder: NSCoder) {
    guard let type = MLMultiArrayDataType(rawValue: coder.decodeInteger(forKey: "dataType")),
      let shape = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "shape") as? [NSNumber],
      let elements = coder.decodeObject(of: NSData.self, forKey: "elements"),
      let count = ShapedLayout.count(shape.map(\.intValue)), count <= elements.length / type.size,
      elements.length == count * type.size
    else { return nil }
    do { try self.init(shape: shape, dataType: type) } catch { return nil }
    elements.getBytes(dataPointer, length: elements.length)
  }

  // MARK: equality

  /// Whether the other object is a multi-array of the same type and shape with equal elements, whatever the memory
  /// layout.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLMultiArray else { return false }
    if other === self { return true }
    guard dataType == other.dataType, layout.shape == other.layout.shape else { return false }
    switch dataType {
    case .double: return MLShapedArray<Double>(self) == MLShapedArray<Double>(other)
    case .float32: return MLShapedArray<Float>(self) == MLShapedArray<Float>(other)
    case .float16: return MLShapedArray<Float16>(self) == MLShapedArray<Float16>(other)
    case .int32: return MLShapedArray<Int32>(self) == MLShapedArray<Int32>(other)
    case .int8: return MLShapedArray<Int8>(self) == MLShapedArray<Int8>(other)
    }
  }

  /// Hashes only the type and shape, because elements can change.
  override open var hash: Int {
    var hasher = Hasher()
    hasher.combine(dataType)
    hasher.combine(layout.shape)
    return hasher.finalize()
  }
}
