import CoreMLRuntime
import Foundation

/// Converts arrays in files to features and back.
public enum FeatureConversion {
  /// An array as a value of the declared type. Elements are converted. An array with one element may be a scalar
  /// feature.
  public static func feature(_ array: NPYArray, _ description: MLFeatureDescription) throws -> MLFeatureValue {
    switch description.type {
    case .double: return MLFeatureValue(double: try single(array, description.name))
    case .int64:
      guard array.count == 1, let value = array.int64(at: 0) else {
        guard array.count == 1 else { throw manyNumbers(array.shape, description.name) }
        throw FeatureFileError(
          .invalid,
          "the feature '\(description.name)' is an integer of 64 bits and the file has the number \(array.number(at: 0))"
        )
      }
      return MLFeatureValue(int64: value)
    case .multiArray:
      let type = description.multiArrayConstraint?.dataType ?? .float32
      return MLFeatureValue(multiArray: try multiArray(array, type, description.name))
    default:
      throw FeatureFileError(
        .invalid, "the feature '\(description.name)' is of type \(description.type), which an array cannot be")
    }
  }

  /// An array that has not been read yet. If its header shows that the feature does not allow it, its elements are not
  /// read. If its type is the declared one, the elements are read directly into the value.
  public static func feature(_ elements: NPYElements, _ description: MLFeatureDescription) throws -> MLFeatureValue {
    try admit(elements.header, description)
    let type = description.multiArrayConstraint?.dataType ?? .float32
    guard description.type == .multiArray, elements.areNative, elements.header.element == npyElement(type) else {
      return try feature(elements.array(), description)
    }
    let result = try MLMultiArray(shape: shape(elements.header.shape), dataType: type)
    try result.withUnsafeMutableBytes { bytes, _ in
      try elements.copy(to: UnsafeMutableRawBufferPointer(rebasing: bytes[..<elements.header.byteCount]))
    }
    return MLFeatureValue(multiArray: result)
  }

  /// Throws if an array with this header is larger than any that the feature allows, so that it need not be read. The
  /// model itself refuses smaller arrays with a wrong shape.
  static func admit(_ header: NPYHeader, _ description: MLFeatureDescription) throws {
    switch description.type {
    case .double, .int64: guard header.count == 1 else { throw manyNumbers(header.shape, description.name) }
    case .multiArray:
      guard let constraint = description.multiArrayConstraint, let most = constraint.largestCount else { return }
      // The legacy mapping accepts (Seq, Batch, C, H, W) for any declared shape, and (Seq, Batch, C) for (C), with
      // other sizes.
      let isSequence = header.shape.count == 5 || header.shape.count == 3 && constraint.shape.count == 1
      guard header.count <= most || isSequence else {
        let reason = constraint.shapeConstraint.refusal(of: header.shape, declared: constraint.shape.map(\.intValue))
        throw FeatureFileError(.invalid, "input '\(description.name)' \(reason)")
      }
    default: return
    }
  }

  private static func manyNumbers(_ shape: [Int], _ name: String) -> FeatureFileError {
    FeatureFileError(.invalid, "the feature '\(name)' is one number, the file has an array of shape \(shape)")
  }

  private static func single(_ array: NPYArray, _ name: String) throws -> Double {
    guard array.count == 1, let value = array.doubles.first else { throw manyNumbers(array.shape, name) }
    return value
  }

  /// A multi-array of the type. A rank-0 array gets the shape (1).
  ///
  /// - Throws: `FeatureFileError` if an element exceeds the range of an integer type. `name` is the feature's name.
  public static func multiArray(_ array: NPYArray, _ type: MLMultiArrayDataType, _ name: String) throws -> MLMultiArray
  {
    let result = try MLMultiArray(shape: shape(array.shape), dataType: type)
    if array.element == npyElement(type) {
      result.withUnsafeMutableBytes { bytes, _ in bytes.copyBytes(from: array.bytes) }
      return result
    }
    let values = array.doubles
    try result.withUnsafeMutableBytes { bytes, _ in
      guard let base = bytes.baseAddress else { return }
      switch type {
      case .double: store(values, base) { $0 }
      // A conversion through Double would round twice.
      case .float32 where array.element == .int64: store(array.int64s ?? [], base) { Float($0) }
      case .float32: store(values, base) { Float($0) }
      case .float16: store(values, base) { Float16($0) }
      case .int32: try store(values, base) { try integer($0, Int32.self, name) }
      case .int8: try store(values, base) { try integer($0, Int8.self, name) }
      }
    }
    return result
  }

  private static func shape(_ sizes: [Int]) -> [NSNumber] {
    sizes.isEmpty ? [1] : sizes.map { NSNumber(value: $0) }
  }

  private static func npyElement(_ type: MLMultiArrayDataType) -> NPYArray.Element {
    switch type {
    case .double: .float64
    case .float32: .float32
    case .float16: .float16
    case .int32: .int32
    case .int8: .int8
    }
  }

  private static func store<Source, T: BitwiseCopyable>(
    _ values: [Source], _ base: UnsafeMutableRawPointer, _ convert: (Source) throws -> T
  ) rethrows {
    for (index, value) in values.enumerated() {
      base.storeBytes(of: try convert(value), toByteOffset: index * MemoryLayout<T>.stride, as: T.self)
    }
  }

  /// Truncates toward zero. Throws if the value exceeds the type's range.
  private static func integer<T: FixedWidthInteger>(_ value: Double, _ type: T.Type, _ name: String) throws -> T {
    guard let integer = T(exactly: value.rounded(.towardZero)) else {
      throw FeatureFileError(
        .invalid,
        "the feature '\(name)' is of integers of \(T.bitWidth) bits and has the number \(NPYArray.text(value))")
    }
    return integer
  }

  /// A multi-array in the form used in files. fp16 is widened to fp32.
  public static func array(_ source: MLMultiArray) -> NPYArray {
    let shape = source.shape.map(\.intValue)
    let dense = source.denseElements()
    guard source.dataType == .float16 else {
      return NPYArray(npyElement(source.dataType), shape: shape, bytes: dense)
    }
    var bytes = [UInt8](repeating: 0, count: source.count * 4)
    bytes.withUnsafeMutableBytes { target in
      dense.withUnsafeBytes { elements in
        for index in 0..<source.count {
          let element = elements.loadUnaligned(fromByteOffset: index * 2, as: Float16.self)
          target.storeBytes(of: Float(element), toByteOffset: index * 4, as: Float.self)
        }
      }
    }
    return NPYArray(.float32, shape: shape, bytes: bytes)
  }
}

extension NPYArray {
  /// The exact integer value of an element; nil if it is not a 64-bit signed integer.
  public func int64(at index: Int) -> Int64? {
    bytes.withUnsafeBytes { source in
      func load<T: BitwiseCopyable>(_ type: T.Type) -> T {
        source.loadUnaligned(fromByteOffset: index * MemoryLayout<T>.stride, as: type)
      }
      switch element {
      case .float16: return Int64(exactly: load(Float16.self))
      case .float32: return Int64(exactly: load(Float.self))
      case .float64: return Int64(exactly: load(Double.self))
      case .int8: return Int64(load(Int8.self))
      case .int16: return Int64(load(Int16.self))
      case .int32: return Int64(load(Int32.self))
      case .int64: return load(Int64.self)
      case .uint8: return Int64(load(UInt8.self))
      case .uint16: return Int64(load(UInt16.self))
      case .uint32: return Int64(load(UInt32.self))
      case .uint64: return Int64(exactly: load(UInt64.self))
      case .bool: return load(UInt8.self) == 0 ? 0 : 1
      }
    }
  }

  /// The exact integer values of all elements; nil if one is not an integer.
  public var int64s: [Int64]? {
    var values: [Int64] = []
    values.reserveCapacity(count)
    for index in 0..<count {
      guard let value = int64(at: index) else { return nil }
      values.append(value)
    }
    return values
  }

  /// An element as text.
  func number(at index: Int) -> String {
    if element == .uint64 {
      return bytes.withUnsafeBytes { "\($0.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))" }
    }
    return int64(at: index).map { "\($0)" } ?? Self.text(doubles[index])
  }

  /// A number as text. Integral values have no fraction.
  static func text(_ value: Double) -> String { Int64(exactly: value).map { "\($0)" } ?? "\(value)" }

  /// All elements as Double.
  public var doubles: [Double] {
    bytes.withUnsafeBytes { source in
      func load<T: BitwiseCopyable>(_ convert: (T) -> Double) -> [Double] {
        (0..<count).map { convert(source.loadUnaligned(fromByteOffset: $0 * MemoryLayout<T>.stride, as: T.self)) }
      }
      switch element {
      case .float16: return load { (x: Float16) in Double(x) }
      case .float32: return load { (x: Float) in Double(x) }
      case .float64: return load { (x: Double) in x }
      case .int8: return load { (x: Int8) in Double(x) }
      case .int16: return load { (x: Int16) in Double(x) }
      case .int32: return load { (x: Int32) in Double(x) }
      case .int64: return load { (x: Int64) in Double(x) }
      case .uint8: return load { (x: UInt8) in Double(x) }
      case .uint16: return load { (x: UInt16) in Double(x) }
      case .uint32: return load { (x: UInt32) in Double(x) }
      case .uint64: return load { (x: UInt64) in Double(x) }
      case .bool: return load { (x: UInt8) in x == 0 ? 0 : 1 }
      }
    }
  }
}

extension MLMultiArrayConstraint {
  /// The number of elements of the largest allowed array; nil if there is no limit.
  fileprivate var largestCount: Int? {
    switch shapeConstraint.type {
    case .unspecified: shape.isEmpty ? nil : Self.product(shape.map(\.intValue))
    case .enumerated: shapeConstraint.enumeratedShapes.compactMap { Self.product($0.map(\.intValue)) }.max()
    case .range:
      Self.product(shapeConstraint.sizeRangeForDimension.map { $0.rangeValue.location &+ $0.rangeValue.length &- 1 })
    }
  }

  private static func product(_ sizes: [Int]) -> Int? {
    var count = 1
    for size in sizes {
      let (product, overflow) = count.multipliedReportingOverflow(by: max(size, 0))
      if overflow { return nil }
      count = product
    }
    return count
  }
}

extension MLMultiArray {
  /// The bytes of the elements in row-major order.
  fileprivate func denseElements() -> [UInt8] {
    let size = dataType == .double ? 8 : dataType == .float16 ? 2 : dataType == .int8 ? 1 : 4
    let sizes = shape.map(\.intValue)
    let steps = strides.map(\.intValue)
    guard count > 0 else { return [] }
    var dense = 1
    let isDense = zip(sizes, steps).reversed().allSatisfy { length, step in
      defer { dense *= length }
      return length == 1 || step == dense
    }
    if isDense { return withUnsafeBytes { Array($0.prefix(count * size)) } }
    var result = [UInt8](repeating: 0, count: count * size)
    withUnsafeBytes { source in
      var index = Array(repeating: 0, count: sizes.count)
      for place in 0..<count {
        var offset = 0
        for axis in sizes.indices { offset += index[axis] * steps[axis] }
        for byte in 0..<size { result[place * size + byte] = source[offset * size + byte] }
        for axis in sizes.indices.reversed() {
          index[axis] += 1
          if index[axis] < sizes[axis] { break }
          index[axis] = 0
        }
      }
    }
    return result
  }
}
