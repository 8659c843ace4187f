import CoreMLBase
import MIL

extension Tensor {
  /// A tensor of `shape`. Each element is this tensor's element at the row-major offset that `place` returns, or zero
  /// for nil. Exact for every element type: nothing is converted.
  func moved(to shape: [Int], _ place: ([Int]) throws -> Int?) throws -> Tensor {
    if scalar == .string {
      let all = try strings()
      return Tensor(strings: try Indices(shape).map { try place($0).map { all[$0] } ?? "" }, shape: shape)
    }
    if scalar.isSubByte {
      let all = try doubles()
      return try Tensor(scalar, shape: shape, doubles: try Indices(shape).map { try place($0).map { all[$0] } ?? 0 })
    }
    let result = try Tensor.zeros(scalar, shape: shape)
    guard var target = result.storage.mutablePointer else { return result }
    let width = scalar.bitWidth / 8
    var point = CancellationPoint()
    try withExtendedLifetime(storage) {
      for index in Indices(shape) {
        try point.pass()
        if let source = try place(index) {
          target.copyMemory(from: storage.pointer + source * width, byteCount: width)
        }
        target += width
      }
    }
    return result
  }
}

extension Reference {
  /// A reference that moves the elements of `x`. `plan` reads the arguments once. It returns a function from each index
  /// of the result to an index of `x`.
  static func movement(
    _ names: String..., plan: @escaping @Sendable (ReferenceCall, _ shape: [Int]) throws -> ([Int]) throws -> [Int]
  ) -> Reference {
    Reference(names) { call in
      let x = try call.tensor("x")
      let strides = rowMajorStrides(x.shape)
      let source = try plan(call, x.shape)
      return [.tensor(try x.moved(to: call.outputSizes()) { dot(try source($0), strides) })]
    }
  }

  /// A reference that returns the elements of `x` in order, in the output's shape.
  static func reshape(_ names: String...) -> Reference {
    Reference(names) { call in [.tensor(try call.tensor("x").reshaped(call.outputSizes()))] }
  }
}

/// The row-major offset of an index.
func dot(_ index: [Int], _ strides: [Int]) -> Int {
  var place = 0
  for axis in index.indices { place += index[axis] * strides[axis] }
  return place
}
