import CoreMLBase
import MIL

enum CreationReference {
  static let all: [Reference] = [
    Reference("fill", "fill_like") { call in
      let value = try call.has("value") ? call.tensor("value") : Tensor(float32: [0], shape: [])
      guard value.count == 1 else {
        throw call.invocation.error(.invalidArgument, "'value' must be one value, it is \(value.type)")
      }
      return [.tensor(try value.moved(to: call.outputSizes()) { _ in 0 })]
    },
    Reference("shape") { call in [.int32s(try call.invocation.sizes("x"))] },
    .numeric("range_1d") { call in
      let start = try call.invocation.double("start")
      let step = try call.invocation.double("step")
      var point = CancellationPoint()
      return try (0..<(try call.invocation.rangeCount())).map {
        try point.pass()
        return start + Double($0) * step
      }
    },
    .numeric("one_hot") { call in
      let indices = try call.tensor("indices").ints()
      let on = try call.invocation.double("on_value", default: 1)
      let off = try call.invocation.double("off_value", default: 0)
      let shape = try call.outputSizes()
      let axis = try call.invocation.axis("axis", default: -1, rank: shape.count)
      let strides = rowMajorStrides(try call.sizes("indices"))
      return try Indices(shape).map { index in
        var source = index
        let position = source.remove(at: axis)
        return indices[dot(source, strides)] == position ? on : off
      }
    },
    Reference("non_zero") { call in
      let x = try call.tensor("x")
      let values = try x.doubles()
      let result = try Tensor.zeros(.int32, shape: call.outputSizes())
      guard var target = result.storage.mutablePointer?.assumingMemoryBound(to: Int32.self) else { return [] }
      var point = CancellationPoint()
      var rows = 0
      for (place, index) in Indices(x.shape).enumerated() where values[place] != 0 {
        try point.pass()
        rows += 1
        guard rows <= result.shape[0] else { break }
        for position in index {
          target.pointee = Int32(clamping: position)
          target += 1
        }
      }
      return [.tensor(result)]
    },
    Reference("band_part") { call in
      let x = try call.tensor("x")
      let lower = try call.invocation.int("lower", default: -1)
      let upper = try call.invocation.int("upper", default: -1)
      let strides = rowMajorStrides(x.shape)
      return [
        .tensor(
          try x.moved(to: x.shape) { index in
            let below = index[x.rank - 2] - index[x.rank - 1]
            return (lower < 0 || below <= lower) && (upper < 0 || -below <= upper) ? dot(index, strides) : nil
          })
      ]
    },
  ]
}
