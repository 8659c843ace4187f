import CoreMLRuntime
import CoreMLServingInterface
import FeatureFiles

extension TensorType {
  /// The protocol's type of a multi-array's elements.
  init(_ type: MLMultiArrayDataType) {
    switch type {
    case .double: self = .float64
    case .float32: self = .float32
    case .float16: self = .float16
    case .int32: self = .int32
    case .int8: self = .int8
    }
  }

  /// The type of the elements in memory; nil for byte strings and bf16, which no array has.
  var element: NPYArray.Element? {
    switch self {
    case .bool: .bool
    case .uint8: .uint8
    case .uint16: .uint16
    case .uint32: .uint32
    case .uint64: .uint64
    case .int8: .int8
    case .int16: .int16
    case .int32: .int32
    case .int64: .int64
    case .float16: .float16
    case .float32: .float32
    case .float64: .float64
    case .bfloat16, .bytes: nil
    }
  }

  var isFloat: Bool { [.float16, .bfloat16, .float32, .float64].contains(self) }

  /// Whether elements of this type may be sent for a feature of another type. Floating-point numbers are not sent for
  /// integers, since the fraction would be lost.
  func converts(to type: TensorType) -> Bool {
    guard element != nil, type.element != nil else { return self == type }
    return self == type || !isFloat || type.isFloat
  }
}

extension ServingTensor {
  /// The number of elements; nil if a size is negative or the product overflows.
  var elementCount: Int? { Self.elementCount(shape) }

  static func elementCount(_ shape: [Int]) -> Int? {
    var count = 1
    for size in shape {
      guard size >= 0 else { return nil }
      let (product, overflows) = count.multipliedReportingOverflow(by: size)
      if overflows { return nil }
      count = product
    }
    return count
  }

  /// The memory of a tensor whose content matches its type and shape.
  ///
  /// - Throws: `invalidArgument` if it does not match.
  func elements() throws(ServingError) -> TensorMemory {
    guard case .elements(let memory) = content, let size = type.byteCount, let count = elementCount else {
      throw ServingError(.invalidArgument, "The input '\(name)' has no elements of the type \(type.rawValue).")
    }
    let (bytes, overflows) = count.multipliedReportingOverflow(by: size)
    guard !overflows, bytes == memory.bytes.count else {
      throw ServingError(
        .invalidArgument,
        "The input '\(name)' of the type \(type.rawValue) and the shape \(shape) has \(memory.bytes.count) bytes of data."
      )
    }
    return memory
  }

  /// The byte strings of a tensor of the type `bytes`.
  func strings() throws(ServingError) -> [[UInt8]] {
    guard case .byteStrings(let strings) = content, strings.count == elementCount else {
      throw ServingError(
        .invalidArgument, "The input '\(name)' does not have one byte string for each element of the shape \(shape).")
    }
    return strings
  }

  /// A tensor of new memory with the bytes of an array.
  init<Element: BitwiseCopyable>(
    _ name: String, _ type: TensorType, shape: [Int], copying values: [Element]
  ) throws(ServingError) {
    let memory = try TensorMemory(byteCount: values.count * MemoryLayout<Element>.stride)
    values.withUnsafeBytes { memory.bytes.copyMemory(from: $0) }
    self.init(name: name, type: type, shape: shape, content: .elements(memory))
  }
}
