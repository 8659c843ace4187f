import Foundation
import MIL

extension MLMultiArrayDataType {
  /// The element type of the language.
  var scalar: ScalarType {
    switch self {
    case .double: .float64
    case .float32: .float32
    case .float16: .float16
    case .int32: .int32
    case .int8: .int8
    }
  }

  init?(_ scalar: ScalarType) {
    switch scalar {
    case .float64: self = .double
    case .float32: self = .float32
    case .float16: self = .float16
    case .int32, .bool, .int16, .uint8, .uint16, .uint32, .int64, .uint64: self = .int32
    case .int8: self = .int8
    default: return nil
    }
  }
}

extension MLMultiArray {
  /// The elements in row-major order, converted to `scalar`.
  func tensor(as scalar: ScalarType) throws -> Tensor {
    let shape = self.shape.map(\.intValue)
    let dense = try Tensor.zeros(dataType.scalar, shape: shape)
    let size = dataType.scalar.bitWidth / 8
    let strides = self.strides.map(\.intValue)
    guard let target = dense.storage.mutablePointer else { return dense }
    withUnsafeBytes { source in
      guard let base = source.baseAddress else { return }
      StridedCopy(shape: shape, strides: strides, size: size).gather(from: base, to: target)
    }
    return try Casting.converted(dense, to: scalar)
  }

  /// An array of a tensor's elements, converted to `type`.
  convenience init(_ tensor: Tensor, as type: MLMultiArrayDataType) throws {
    try self.init(shape: tensor.shape.map { NSNumber(value: $0) }, dataType: type)
    try write(tensor)
  }

  /// Overwrites the elements with a tensor's, converted; the shapes must hold as many.
  func write(_ tensor: Tensor) throws {
    let converted = try Casting.converted(tensor, to: dataType.scalar)
    let shape = self.shape.map(\.intValue)
    guard converted.count == shape.reduce(1, *) else {
      throw RuntimeError(.evaluation, "a tensor of shape \(tensor.shape) does not fit an array of shape \(shape)")
    }
    let size = dataType.scalar.bitWidth / 8
    withUnsafeMutableBytes { target, strides in
      guard let base = target.baseAddress else { return }
      StridedCopy(shape: shape, strides: strides, size: size).scatter(from: converted.storage.pointer, to: base)
    }
    withExtendedLifetime(converted) {}
  }
}

/// Copies between contiguous and strided memory, element by element where it must, in runs where it can.
struct StridedCopy {
  let shape: [Int]
  let strides: [Int]
  let size: Int

  func gather(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    runs { strided, dense, bytes in (target + dense).copyMemory(from: source + strided, byteCount: bytes) }
  }

  func scatter(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    runs { strided, dense, bytes in (target + strided).copyMemory(from: source + dense, byteCount: bytes) }
  }

  /// Calls `body` with byte offsets in strided and contiguous memory, for runs that are contiguous in both.
  private func runs(_ body: (Int, Int, Int) -> Void) {
    guard !shape.contains(0) else { return }
    var run = 1
    var axis = shape.count - 1
    while axis >= 0, strides[axis] == run || shape[axis] == 1 {
      run *= shape[axis]
      axis -= 1
    }
    let outer = Array(shape[..<(axis + 1)])
    var index = Array(repeating: 0, count: outer.count)
    var dense = 0
    while true {
      var offset = 0
      for axis in outer.indices { offset += index[axis] * strides[axis] }
      body(offset * size, dense * size, run * size)
      dense += run
      var axis = outer.count - 1
      while axis >= 0 {
        index[axis] += 1
        if index[axis] < outer[axis] { break }
        index[axis] = 0
        axis -= 1
      }
      if axis < 0 { return }
    }
  }
}
