import Foundation

/// A multi-dimensional array of numbers: elements at `sum(index * stride)` from a pointer. Passed by reference.
public class MLMultiArray: NSObject, @unchecked Sendable {  // as Core ML's: whoever writes keeps readers away
  public let dataType: MLMultiArrayDataType
  public let shape: [NSNumber]
  /// In elements.
  public let strides: [NSNumber]
  public let dataPointer: UnsafeMutableRawPointer
  private let release: (UnsafeMutableRawPointer) -> Void
  private let sizes: [Int]
  private let steps: [Int]

  /// Number of elements.
  public let count: Int

  /// A contiguous array, first axis outermost. Elements are zero.
  public convenience init(shape: [NSNumber], dataType: MLMultiArrayDataType) throws {
    let sizes = shape.map(\.intValue)
    var total = 1
    for size in sizes {
      let (product, overflow) = total.multipliedReportingOverflow(by: size)
      guard size >= 0, !overflow, product <= 1 << 36 else {
        throw MLModelError(.generic, "a multi-array cannot have the shape \(sizes)")
      }
      total = product
    }
    let memory = Self.zeroed(max(total * dataType.size, 1))
    self.init(memory, sizes, dataType, MLMultiArray.contiguous(sizes)) { $0.deallocate() }
  }

  /// Strides in elements, none negative; axes may be padded. Elements are zero.
  public convenience init(shape: [NSNumber], dataType: MLMultiArrayDataType, strides: [NSNumber]) throws {
    let (sizes, steps) = (shape.map(\.intValue), strides.map(\.intValue))
    let extent = try Self.extent(sizes, steps)
    let memory = Self.zeroed(max(extent * dataType.size, 1))
    self.init(memory, sizes, dataType, steps) { $0.deallocate() }
  }

  /// Elements from the first to the last in memory.
  private static func extent(_ sizes: [Int], _ steps: [Int]) throws -> Int {
    guard sizes.count == steps.count, sizes.allSatisfy({ $0 >= 0 }), steps.allSatisfy({ $0 >= 0 }) else {
      throw MLModelError(.generic, "a multi-array cannot have the shape \(sizes) with the strides \(steps)")
    }
    if sizes.contains(0) { return 0 }
    var last = 0
    for (size, step) in zip(sizes, steps) {
      let (length, overflow) = (size - 1).multipliedReportingOverflow(by: step)
      guard !overflow, length <= 1 << 36, last + length <= 1 << 36 else {
        throw MLModelError(.generic, "a multi-array cannot have the shape \(sizes) with the strides \(steps)")
      }
      last += length
    }
    return last + 1
  }

  private static func zeroed(_ bytes: Int) -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    return memory
  }

  /// An array over memory that the caller keeps until `deallocator` is called.
  public convenience init(
    dataPointer: UnsafeMutableRawPointer, shape: [NSNumber], dataType: MLMultiArrayDataType, strides: [NSNumber],
    deallocator: ((UnsafeMutableRawPointer) -> Void)? = nil
  ) throws {
    _ = try Self.extent(shape.map(\.intValue), strides.map(\.intValue))
    self.init(dataPointer, shape.map(\.intValue), dataType, strides.map(\.intValue), deallocator ?? { _ in })
  }

  private init(
    _ pointer: UnsafeMutableRawPointer, _ sizes: [Int], _ dataType: MLMultiArrayDataType, _ steps: [Int],
    _ release: @escaping (UnsafeMutableRawPointer) -> Void
  ) {
    dataPointer = pointer
    self.sizes = sizes
    self.steps = steps
    self.dataType = dataType
    self.release = release
    shape = sizes.map { NSNumber(value: $0) }
    strides = steps.map { NSNumber(value: $0) }
    count = sizes.reduce(1, *)
    super.init()
  }

  /// Takes memory over, or lets it live as long as its `owner`.
  convenience init(
    adopting pointer: UnsafeMutableRawPointer, _ sizes: [Int], _ dataType: MLMultiArrayDataType, _ steps: [Int],
    keeping owner: AnyObject? = nil
  ) {
    self.init(pointer, sizes, dataType, steps) { pointer in
      if let owner { withExtendedLifetime(owner) {} } else { pointer.deallocate() }
    }
  }

  deinit { release(dataPointer) }

  static func contiguous(_ sizes: [Int]) -> [Int] {
    var steps = Array(repeating: 1, count: sizes.count)
    for axis in stride(from: sizes.count - 2, through: 0, by: -1) {
      steps[axis] = steps[axis + 1] * Swift.max(sizes[axis + 1], 1)
    }
    return steps
  }

  /// Bytes from the pointer to the end of the last element.
  private var extent: Int {
    guard count > 0 else { return 0 }
    return (zip(sizes, steps).reduce(0) { $0 + ($1.0 - 1) * $1.1 } + 1) * dataType.size
  }

  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(start: dataPointer, count: extent))
  }

  public func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer, [Int]) throws -> R) rethrows -> R {
    try body(UnsafeMutableRawBufferPointer(start: dataPointer, count: extent), steps)
  }

  /// The element at a row-major index, which must be in `0..<count`.
  public subscript(index: Int) -> NSNumber {
    get { load(offset(index)) }
    set { store(newValue, offset(index)) }
  }

  /// The element at an index an axis, each of which must be inside of its axis.
  public subscript(index: [NSNumber]) -> NSNumber {
    get { load(offset(index)) }
    set { store(newValue, offset(index)) }
  }

  private func offset(_ index: [NSNumber]) -> Int {
    precondition(index.count == sizes.count, "\(index.count) indices for an array of rank \(sizes.count)")
    var offset = 0
    for axis in sizes.indices {
      let value = index[axis].intValue
      precondition(value >= 0 && value < sizes[axis], "index \(value) on axis \(axis) of size \(sizes[axis])")
      offset += value * steps[axis]
    }
    return offset
  }

  private func offset(_ index: Int) -> Int {
    precondition(index >= 0 && index < count, "index \(index) of an array of \(count) elements")
    var rest = index
    var offset = 0
    for axis in sizes.indices.reversed() {
      offset += rest % sizes[axis] * steps[axis]
      rest /= sizes[axis]
    }
    return offset
  }

  private func load(_ offset: Int) -> NSNumber {
    let place = offset * dataType.size
    switch dataType {
    case .double: return NSNumber(value: dataPointer.load(fromByteOffset: place, as: Double.self))
    case .float32: return NSNumber(value: dataPointer.load(fromByteOffset: place, as: Float.self))
    case .float16: return NSNumber(value: Float(dataPointer.load(fromByteOffset: place, as: Float16.self)))
    case .int32: return NSNumber(value: dataPointer.load(fromByteOffset: place, as: Int32.self))
    case .int8: return NSNumber(value: dataPointer.load(fromByteOffset: place, as: Int8.self))
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

  /// Whether the other is an array of the same shape and element type with equal elements.
  override public func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLMultiArray, other.dataType == dataType, other.shape == shape else { return false }
    if other === self { return true }
    return (0..<count).allSatisfy { self[$0] == other[$0] }
  }

  override public var hash: Int {
    var hasher = Hasher()
    hasher.combine(dataType)
    hasher.combine(shape)
    return hasher.finalize()
  }
}
