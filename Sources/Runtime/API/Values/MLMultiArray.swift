import CoreMLBase
import CoreMLImages
import Foundation
import MIL

/// A multi-dimensional array of numbers: elements at `sum(index * stride)` from a pointer. Passed by reference.
///
/// Making one throws where a shape or a stride cannot be; using one with an index, a shape or a type that does not fit is a
/// precondition failure, as it is an exception in Core ML.
// Sendable: as Core ML's: whoever writes keeps readers away
open class MLMultiArray: NSObject, NSSecureCoding, @unchecked Sendable {
  /// The type of the elements.
  public let dataType: MLMultiArrayDataType
  /// The size of each axis.
  public var shape: [NSNumber] { layout.shape.map { NSNumber(value: $0) } }
  /// The distance between neighbours on each axis, in elements.
  public var strides: [NSNumber] { layout.strides.map { NSNumber(value: $0) } }
  /// The first element. The closures of `withUnsafeBytes` and its kin are to be preferred: they tell how far it reaches.
  public let dataPointer: UnsafeMutableRawPointer
  /// The image whose pixels are the elements; nil for an array in other memory.
  public let pixelBuffer: CVPixelBuffer?
  /// Number of elements.
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

  /// Fresh memory, zeroed, or, where all of it is written before anybody reads it, of whatever content.
  ///
  /// - Throws: `MLModelError` where there is not as much.
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

  /// The element at an index in first-major order.
  ///
  /// - Precondition: the index is at least 0 and less than `count`.
  public subscript(index: Int) -> NSNumber {
    get { load(offset(index)) }
    set { store(newValue, offset(index)) }
  }

  /// The element at an index of every axis.
  ///
  /// - Precondition: there is an index for every axis, and it is within the axis's size.
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

  /// Type and shape, and the elements of a vector or a matrix.
  override open var description: String { text() }

  /// Archives of arrays may be read where classes are asked for.
  open class var supportsSecureCoding: Bool { true }

  /// Writes type, shape and the elements in first-major order.
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

  /// An array from an archive; nil for one that does not hold what its shape says.
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

  /// Whether the other object is a multi-array of the same type and shape with equal elements, wherever they lie in memory.
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

  /// Of the type and shape alone: elements change.
  override open var hash: Int {
    var hasher = Hasher()
    hasher.combine(dataType)
    hasher.combine(layout.shape)
    return hasher.finalize()
  }
}
