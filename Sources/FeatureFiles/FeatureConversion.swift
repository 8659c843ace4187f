import CoreMLRuntime
import Foundation

/// Arrays of files to features and back.
public enum FeatureConversion {
  /// An array as a value of the declared type: numbers are converted, a single number may stand for a scalar feature.
  public static func feature(_ array: NPYArray, _ description: MLFeatureDescription) throws -> MLFeatureValue {
    switch description.type {
    case .double: return MLFeatureValue(double: try single(array, description.name))
    case .int64:
      guard let value = Int64(exactly: try single(array, description.name)) else {
        throw FeatureFileError(
          .invalid, "the feature '\(description.name)' is an integer and the file has another number")
      }
      return MLFeatureValue(int64: value)
    case .multiArray:
      let type = description.multiArrayConstraint?.dataType ?? .float32
      return MLFeatureValue(multiArray: try multiArray(array, type))
    default:
      throw FeatureFileError(
        .invalid, "the feature '\(description.name)' is of type \(description.type), which an array cannot be")
    }
  }

  /// An array that still lies in its file. Its elements are not read when its header says that no such array is admitted, and read into
  /// the value itself where their type is the declared one.
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

  /// Throws when an array of this header is larger than every one that the feature admits: nobody need read it then. Smaller ones of
  /// a wrong shape are the model's to refuse.
  static func admit(_ header: NPYHeader, _ description: MLFeatureDescription) throws {
    switch description.type {
    case .double, .int64: guard header.count == 1 else { throw manyNumbers(header.shape, description.name) }
    case .multiArray:
      guard let constraint = description.multiArrayConstraint, let most = constraint.largestCount else { return }
      // The legacy mapping takes (Seq, Batch, C, H, W) for any declared shape, with sizes of its own.
      guard header.count <= most || header.shape.count == 5 else {
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

  /// A multi-array of the type; a rank-0 array becomes one of shape (1).
  public static func multiArray(_ array: NPYArray, _ type: MLMultiArrayDataType) throws -> MLMultiArray {
    let result = try MLMultiArray(shape: shape(array.shape), dataType: type)
    if array.element == npyElement(type) {
      result.withUnsafeMutableBytes { bytes, _ in bytes.copyBytes(from: array.bytes) }
      return result
    }
    let values = array.doubles
    result.withUnsafeMutableBytes { bytes, _ in
      guard let base = bytes.baseAddress else { return }
      switch type {
      case .double: store(values, base) { $0 }
      case .float32: store(values, base) { Float($0) }
      case .float16: store(values, base) { Float16($0) }
      case .int32: store(values, base) { integer($0, Int32.self) }
      case .int8: store(values, base) { integer($0, Int8.self) }
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

  private static func store<T: BitwiseCopyable>(
    _ values: [Double], _ base: UnsafeMutableRawPointer, _ convert: (Double) -> T
  ) {
    for (index, value) in values.enumerated() {
      base.storeBytes(of: convert(value), toByteOffset: index * MemoryLayout<T>.stride, as: T.self)
    }
  }

  /// Truncated toward zero and saturated; NaN is 0.
  private static func integer<T: FixedWidthInteger>(_ value: Double, _ type: T.Type) -> T {
    if value.isNaN { return 0 }
    if value <= Double(T.min) { return T.min }
    return value >= Double(T.max) ? T.max : T(value)
  }

  /// A multi-array as files hold it: half precision is widened to single.
  public static func array(_ source: MLMultiArray) -> NPYArray {
    let element = source.dataType == .float16 ? .float32 : npyElement(source.dataType)
    let shape = source.shape.map(\.intValue)
    var bytes = [UInt8](repeating: 0, count: source.count * element.size)
    let dense = source.denseElements()
    bytes.withUnsafeMutableBytes { target in
      for index in 0..<source.count {
        switch source.dataType {
        case .double: copy(dense, target, index, 8)
        case .float32, .int32: copy(dense, target, index, 4)
        case .int8: copy(dense, target, index, 1)
        case .float16:
          let half = dense.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index * 2, as: Float16.self) }
          target.storeBytes(of: Float(half), toByteOffset: index * 4, as: Float.self)
        }
      }
    }
    return NPYArray(element, shape: shape, bytes: bytes)
  }

  private static func copy(_ source: [UInt8], _ target: UnsafeMutableRawBufferPointer, _ index: Int, _ size: Int) {
    for byte in index * size..<(index + 1) * size { target[byte] = source[byte] }
  }
}

extension NPYArray {
  /// Every element as a number.
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
  /// Elements of the largest array that is admitted; nil where there is no such bound.
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
  /// The elements' bytes in row-major order.
  fileprivate func denseElements() -> [UInt8] {
    let size = dataType == .double ? 8 : dataType == .float16 ? 2 : dataType == .int8 ? 1 : 4
    let sizes = shape.map(\.intValue)
    let steps = strides.map(\.intValue)
    var result = [UInt8](repeating: 0, count: count * size)
    guard count > 0 else { return result }
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
