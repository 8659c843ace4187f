import Foundation

/// The element types of an `MLMultiArray`; raw values are the specification's `ArrayDataType`.
public enum MLMultiArrayDataType: Int, Sendable, CaseIterable {
  case double = 0x10040
  case float32 = 0x10020
  case float16 = 0x10010
  case int32 = 0x20020
  case int8 = 0x20008

  public static var float64: MLMultiArrayDataType { .double }
  public static var float: MLMultiArrayDataType { .float32 }

  /// Bytes of one element.
  var size: Int {
    switch self {
    case .double: 8
    case .float32, .int32: 4
    case .float16: 2
    case .int8: 1
    }
  }
}

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
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(total * dataType.size, 1), alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: max(total * dataType.size, 1))
    self.init(memory, sizes, dataType, MLMultiArray.contiguous(sizes)) { $0.deallocate() }
  }

  /// An array over memory that the caller keeps until `deallocator` is called.
  public convenience init(
    dataPointer: UnsafeMutableRawPointer, shape: [NSNumber], dataType: MLMultiArrayDataType, strides: [NSNumber],
    deallocator: ((UnsafeMutableRawPointer) -> Void)? = nil
  ) throws {
    guard strides.count == shape.count, shape.allSatisfy({ $0.intValue >= 0 }) else {
      throw MLModelError(.generic, "a multi-array of rank \(shape.count) has \(strides.count) strides")
    }
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

  /// The element at a row-major index.
  public subscript(index: Int) -> NSNumber {
    get { load(offset(index)) }
    set { store(newValue, offset(index)) }
  }

  public subscript(index: [NSNumber]) -> NSNumber {
    get { load(zip(index, steps).reduce(0) { $0 + $1.0.intValue * $1.1 }) }
    set { store(newValue, zip(index, steps).reduce(0) { $0 + $1.0.intValue * $1.1 }) }
  }

  private func offset(_ index: Int) -> Int {
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
}
