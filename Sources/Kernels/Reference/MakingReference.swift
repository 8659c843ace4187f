import MIL

extension References {
  static let making: [Reference] = [
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
      return (0..<(try call.invocation.rangeCount())).map { start + Double($0) * step }
    },
    .numeric("one_hot") { call in
      let indices = try call.tensor("indices").ints()
      let on = try call.invocation.double("on_value", default: 1)
      let off = try call.invocation.double("off_value", default: 0)
      let shape = try call.outputSizes()
      let axis = try call.invocation.axis("axis", default: -1, rank: shape.count)
      let strides = rowMajorStrides(try call.sizes("indices"))
      return Indices(shape).map { index in
        var source = index
        let position = source.remove(at: axis)
        return indices[dot(source, strides)] == position ? on : off
      }
    },
    Reference("non_zero") { call in
      let x = try call.tensor("x")
      let values = try x.doubles()
      let places = Indices(x.shape).enumerated().filter { values[$0.offset] != 0 }.flatMap(\.element)
      return [.tensor(Tensor(int32: places, shape: try call.outputSizes()))]
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
