import CoreMLBase
import MIL

/// Every index of a shape, in row-major order.
struct Indices: Sequence, IteratorProtocol {
  private let shape: [Int]
  private var current: [Int]
  private var isDone: Bool

  init(_ shape: [Int]) {
    self.shape = shape
    current = Array(repeating: 0, count: shape.count)
    isDone = shape.contains(0)
  }

  mutating func next() -> [Int]? {
    guard !isDone else { return nil }
    let result = current
    var axis = shape.count - 1
    while axis >= 0 {
      current[axis] += 1
      if current[axis] < shape[axis] { return result }
      current[axis] = 0
      axis -= 1
    }
    isDone = true
    return result
  }
}

extension Indices {
  var underestimatedCount: Int { TensorType.elementCount(shape) ?? 0 }

  /// Like the `map` of a sequence. Throws when the work is cancelled.
  func map<Result>(_ transform: ([Int]) throws -> Result) throws -> [Result] {
    var point = CancellationPoint()
    try MemoryBudget.current.admit(
      underestimatedCount, of: MemoryLayout<Result>.stride, for: "a result of the reference")
    var results: [Result] = []
    results.reserveCapacity(underestimatedCount)
    for index in self {
      try point.pass()
      results.append(try transform(index))
    }
    return results
  }
}

extension [Double] {
  /// Like `map`. Throws when the work is cancelled.
  func mapped(_ transform: (Double) throws -> Double) throws -> [Double] {
    var point = CancellationPoint()
    return try map {
      try point.pass()
      return try transform($0)
    }
  }
}

/// Row-major strides of a shape.
func rowMajorStrides(_ shape: [Int]) -> [Int] {
  var strides = Array(repeating: 1, count: shape.count)
  for axis in stride(from: shape.count - 2, through: 0, by: -1) { strides[axis] = strides[axis + 1] * shape[axis + 1] }
  return strides
}

/// The source position of an element of a broadcast result: axes are aligned at the last, and axes of size 1 repeat.
struct Broadcast {
  /// Strides over the axes of the result.
  let strides: [Int]

  init(from source: [Int], to target: [Int]) {
    let own = rowMajorStrides(source)
    let missing = target.count - source.count
    strides = target.indices.map { axis in
      axis < missing || source[axis - missing] == 1 ? 0 : own[axis - missing]
    }
  }

  func offset(_ index: [Int]) -> Int {
    var offset = 0
    for axis in index.indices { offset += index[axis] * strides[axis] }
    return offset
  }
}
