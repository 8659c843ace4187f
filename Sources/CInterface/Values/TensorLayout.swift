import CoreMLRuntime

/// A shape and strides of the caller, checked before use.
struct TensorLayout {
  let shape: [Int]
  /// Small enough that offsets in bytes do not overflow.
  let strides: [Int]
  /// Number of elements from the first to the end of the last one in memory.
  let extent: Int

  private static let maximumRank = 64

  init(_ rank: Int, _ shape: UnsafePointer<Int64>?, _ strides: UnsafePointer<Int64>?, _ call: Call) throws {
    guard (0...Self.maximumRank).contains(rank) else {
      throw call.failure(.value, "the rank is \(UInt(bitPattern: rank)), expected at most \(Self.maximumRank)")
    }
    let sizes = try call.elements(shape, rank, "shape").map { Int($0) }
    guard sizes.allSatisfy({ $0 >= 0 }) else {
      throw call.failure(.value, "the shape \(sizes) has a negative size")
    }
    func tooLarge() -> InterfaceError {
      call.failure(.value, "the shape \(sizes) has more elements than memory can hold")
    }
    var (dense, step) = ([Int](repeating: 1, count: rank), 1)
    for axis in sizes.indices.reversed() {
      dense[axis] = step
      let (product, overflow) = step.multipliedReportingOverflow(by: max(sizes[axis], 1))
      guard !overflow else { throw tooLarge() }
      step = product
    }
    let given = try strides.map { try call.elements($0, rank, "strides").map { Int($0) } } ?? dense
    guard given.allSatisfy({ $0 >= 0 }) else {
      throw call.failure(.value, "the strides \(given) have a negative one, which is not supported")
    }
    var last = 0
    for (size, stride) in zip(sizes, given) where size > 1 {
      let (distance, far) = (size - 1).multipliedReportingOverflow(by: stride)
      let (sum, over) = last.addingReportingOverflow(distance)
      guard !far, !over else { throw tooLarge() }
      last = sum
    }
    guard last <= Int.max / 16, step <= Int.max / 16 else { throw tooLarge() }
    // Only an axis of at most one element can have a larger stride, and its stride is never used.
    self.strides = zip(given, dense).map { $0 > Int.max / 16 ? $1 : $0 }
    self.shape = sizes
    extent = sizes.contains(0) ? 0 : last + 1
  }
}

extension MLMultiArrayDataType {
  init(_ code: Int32, _ call: Call) throws {
    guard let type = MLMultiArrayDataType(rawValue: Int(code)) else {
      throw call.failure(
        .value, "there is no element type \(code); there are COREML_FLOAT16, 32 and 64, COREML_INT8 and 32")
    }
    self = type
  }

  /// Bytes of one element.
  var byteCount: Int {
    switch self {
    case .double: 8
    case .float32, .int32: 4
    case .float16: 2
    case .int8: 1
    }
  }
}
