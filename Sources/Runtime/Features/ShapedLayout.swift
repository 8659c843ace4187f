import Foundation

/// The memory layout of a shaped array. The scalar at index (i0, i1, ...) is `sum(index * stride)` scalars after the
/// first one.
struct ShapedLayout: Equatable {
  var shape: [Int]
  /// The strides in scalars, one per axis, none negative.
  var strides: [Int]

  /// - Precondition: there is one stride per axis, no size or stride is negative, and the span in bytes fits in `Int`.
  init(shape: [Int], strides: [Int]) {
    precondition(shape.count == strides.count, "a shape of rank \(shape.count) has \(strides.count) strides")
    precondition(shape.allSatisfy { $0 >= 0 }, "a shape has a negative size: \(shape)")
    precondition(strides.allSatisfy { $0 >= 0 }, "a stride is negative: \(strides)")
    precondition(Self.count(shape) != nil, "a shape has more scalars than can be counted: \(shape)")
    self.shape = shape
    self.strides = strides
    precondition(span != nil, "the strides \(strides) reach beyond what can be counted")
  }

  /// Same as `init(shape:strides:)`, but returns nil for invalid arguments, for data from outside the program.
  init?(checking shape: [Int], strides: [Int]) {
    guard shape.count == strides.count, strides.allSatisfy({ $0 >= 0 }), Self.count(shape) != nil else { return nil }
    self.shape = shape
    self.strides = strides
    if span == nil { return nil }
  }

  /// Creates a contiguous first-major (row-major) layout.
  init(firstMajor shape: [Int]) {
    precondition(Self.count(shape) != nil, "a shape is negative or has more scalars than can be counted: \(shape)")
    self.init(shape: shape, strides: MLMultiArray.contiguous(shape))
  }

  init(shape: [Int], _ layout: MLShapedArrayBufferLayout) {
    switch layout {
    case .firstMajorContiguous: self.init(firstMajor: shape)
    case .lastMajorContiguous:
      precondition(Self.count(shape) != nil, "a shape is negative or has more scalars than can be counted: \(shape)")
      self.init(shape: shape, strides: MLMultiArray.contiguous(shape.reversed()).reversed())
    case .strides(let strides): self.init(shape: shape, strides: strides)
    }
  }

  /// Whether the scalars are contiguous in row-major order.
  static func isDense(_ shape: [Int], _ strides: [Int]) -> Bool {
    var run = 1
    for axis in stride(from: min(shape.count, strides.count) - 1, through: 0, by: -1) where shape[axis] != 1 {
      guard strides[axis] == run else { return false }
      run *= shape[axis]
    }
    return true
  }

  /// The product of the sizes; nil for a negative size, or if the product times eight bytes overflows `Int`.
  static func count(_ shape: [Int]) -> Int? {
    var total = 1
    for size in shape {
      // An axis of size 0 must not hide an overflow of the other axes, because strides are computed from them.
      let (product, overflow) = total.multipliedReportingOverflow(by: Swift.max(size, 1))
      guard size >= 0, !overflow, product <= Int.max >> 4 else { return nil }
      total = product
    }
    return shape.contains(0) ? 0 : total
  }

  var count: Int { Self.count(shape) ?? 0 }

  /// The number of scalars from the first to the last in memory, both included; nil on overflow.
  private var span: Int? {
    guard !shape.contains(0) else { return 0 }
    var total = 1
    for (size, stride) in zip(shape, strides) {
      let (reach, overflow) = (size - 1).multipliedReportingOverflow(by: stride)
      let (sum, tooFar) = total.addingReportingOverflow(reach)
      guard !overflow, !tooFar, sum <= Int.max >> 4 else { return nil }
      total = sum
    }
    return total
  }

  var extent: Int { span ?? 0 }

  /// Whether the scalars are contiguous in first-major order.
  var isContiguous: Bool {
    var expected = 1
    for (size, stride) in zip(shape, strides).reversed() where size != 1 {
      guard stride == expected || size == 0 else { return false }
      expected *= size
    }
    return true
  }

  /// The offset of an element or slice from the first scalar.
  ///
  /// - Precondition: each index is within the size of its axis. Trailing axes may have no index.
  func offset<Indices: Collection>(_ indices: Indices) -> Int where Indices.Element == Int {
    precondition(indices.count <= shape.count, "\(indices.count) indices are given, the shape is \(shape)")
    var offset = 0
    for (axis, index) in indices.enumerated() {
      precondition(index >= 0 && index < shape[axis], "index \(index) of axis \(axis) is not within the shape \(shape)")
      offset += index * strides[axis]
    }
    return offset
  }
}
