import CoreMLBase
import MIL

enum GatherScatterReference {
  static let all: [Reference] = [
    .movement("gather") { call, shape in
      let axis = try call.invocation.axis("axis", default: 0, rank: shape.count)
      let batch = try call.invocation.int("batch_dims", default: 0)
      let indices = try call.tensor("indices")
      let picks = try indices.ints()
      let strides = rowMajorStrides(indices.shape)
      let depth = indices.rank - batch
      return { index in
        let place = dot(Array(index[..<batch]) + Array(index[axis..<(axis + depth)]), strides)
        return index[..<axis] + [try call.checked(picks[place], size: shape[axis])] + index[(axis + depth)...]
      }
    },
    .movement("gather_along_axis") { call, shape in
      let axis = try call.invocation.axis("axis", default: 0, rank: shape.count)
      let picks = try call.tensor("indices").ints()
      let strides = rowMajorStrides(try call.sizes("indices"))
      return { index in
        var source = index
        source[axis] = try call.checked(picks[dot(index, strides)], size: shape[axis])
        return source
      }
    },
    .movement("gather_nd") { call, shape in
      let batch = try call.invocation.int("batch_dims", default: 0)
      let indices = try call.tensor("indices")
      let picks = try indices.ints()
      let strides = rowMajorStrides(indices.shape)
      let depth = indices.shape[indices.rank - 1]
      return { index in
        let place = dot(Array(index[..<(indices.rank - 1)]), strides)
        let chosen = try (0..<depth).map { try call.checked(picks[place + $0], size: shape[batch + $0]) }
        return index[..<batch] + chosen + index[(indices.rank - 1)...]
      }
    },
    .numeric("scatter") { call in
      let shape = try call.sizes("data")
      let axis = try call.invocation.axis("axis", default: 0, rank: shape.count)
      let indices = try call.tensor("indices")
      let picks = try indices.ints()
      let strides = rowMajorStrides(indices.shape)
      return try call.scatter { index in
        let place = dot(Array(index[axis..<(axis + indices.rank)]), strides)
        return index[..<axis] + [try call.checked(picks[place], size: shape[axis])] + index[(axis + indices.rank)...]
      }
    },
    .numeric("scatter_along_axis") { call in
      let shape = try call.sizes("data")
      let axis = try call.invocation.axis("axis", default: 0, rank: shape.count)
      let picks = try call.tensor("indices").ints()
      let strides = rowMajorStrides(try call.sizes("indices"))
      return try call.scatter { index in
        var target = index
        target[axis] = try call.checked(picks[dot(index, strides)], size: shape[axis])
        return target
      }
    },
    .numeric("scatter_nd") { call in
      let shape = try call.sizes("data")
      let indices = try call.tensor("indices")
      let picks = try indices.ints()
      let strides = rowMajorStrides(indices.shape)
      let depth = indices.shape[indices.rank - 1]
      return try call.scatter { index in
        let place = dot(Array(index[..<(indices.rank - 1)]), strides)
        let chosen = try (0..<depth).map { try call.checked(picks[place + $0], size: shape[$0]) }
        return chosen + index[(indices.rank - 1)...]
      }
    },
  ]
}

extension ReferenceCall {
  /// A valid index of an axis, counted from the front.
  fileprivate func checked(_ index: Int, size: Int) throws -> Int {
    guard index < size, try index >= 0 || (index >= -size && invocation.takesNegativeIndices()) else {
      throw KernelError(
        .invalidInput, "\(invocation.operation.label): the index \(index) is outside of an axis of \(size) elements")
    }
    return index < 0 ? index + size : index
  }

  /// `data` after applying every element of `updates` in order. `target` returns the index in `data` for an index of
  /// `updates`.
  fileprivate func scatter(_ target: ([Int]) throws -> [Int]) throws -> [Double] {
    var result = try doubles("data")
    let updates = try doubles("updates")
    let strides = rowMajorStrides(try sizes("data"))
    let combine = try invocation.scatterMode().function(isInteger: tensor("data").scalar.isInteger)
    var point = CancellationPoint()
    for (place, index) in Indices(try sizes("updates")).enumerated() {
      try point.pass()
      let position = dot(try target(index), strides)
      result[position] = combine(result[position], updates[place])
    }
    return result
  }
}

extension ScatterMode {
  /// The function from the old value and the update to the new value. Integers divide as in C.
  func function(isInteger: Bool) -> (Double, Double) -> Double {
    switch self {
    case .update: { $1 }
    case .add: { $0 + $1 }
    case .sub: { $0 - $1 }
    case .mul: { $0 * $1 }
    case .div: { isInteger ? ($0 / $1).rounded(.towardZero) : $0 / $1 }
    case .max: { Swift.max($0, $1) }
    case .min: { Swift.min($0, $1) }
    }
  }
}
