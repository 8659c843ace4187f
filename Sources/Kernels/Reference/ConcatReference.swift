import MIL

enum ConcatReference {
  static let all: [Reference] = [
    Reference("concat") { call in
      let values = try (0..<call.invocation.count("values")).map { try call.tensor("values", $0) }
      let shape = try call.outputSizes()
      let isScalar = values.allSatisfy { $0.rank == 0 }
      let axis = isScalar ? 0 : try call.invocation.axis("axis", rank: shape.count)
      let isInterleaved = try !isScalar && call.invocation.bool("interleave", default: false)
      let sizes = values.map { isScalar ? 1 : $0.shape[axis] }
      // For every index along the result's axis, the tensor and the index along its axis.
      var origin: [(tensor: Int, index: Int)] = []
      if isInterleaved {
        for index in 0..<(sizes.first ?? 0) { origin += values.indices.map { ($0, index) } }
      } else {
        for tensor in values.indices { origin += (0..<sizes[tensor]).map { (tensor, $0) } }
      }
      return [
        .tensor(
          try picked(from: values, shape) { index in
            let (tensor, place) = origin[index[axis]]
            var source = index
            source[axis] = place
            return (tensor, isScalar ? [] : source)
          })
      ]
    },
    Reference("stack") { call in
      let values = try (0..<call.invocation.count("values")).map { try call.tensor("values", $0) }
      let shape = try call.outputSizes()
      let axis = try call.invocation.axis("axis", rank: shape.count)
      return [
        .tensor(
          try picked(from: values, shape) { index in
            var source = index
            return (source.remove(at: axis), source)
          })
      ]
    },
    Reference("split") { call in
      let x = try call.tensor("x")
      let axis = try call.invocation.axis("axis", rank: x.rank)
      let strides = rowMajorStrides(x.shape)
      var begin = 0
      return try call.outputs.indices.map { part in
        let shape = try call.outputSizes(part)
        let offset = begin
        begin += shape[axis]
        return .tensor(try x.moved(to: shape) { dot($0, strides) + offset * strides[axis] })
      }
    },
    .movement("tile") { _, shape in
      { index in zip(index, shape).map { $0 % $1 } }
    },
    Reference("pad") { call in
      let x = try call.tensor("x")
      let (before, _) = try call.invocation.padding(of: x.type.shape)
      let mode = try call.invocation.padMode()
      let value = try call.invocation.double("constant_val", default: 0)
      let shape = try call.outputSizes()
      let strides = rowMajorStrides(x.shape)
      func place(_ index: [Int]) -> Int? {
        var place = 0
        for axis in index.indices {
          let size = x.shape[axis]
          var source = index[axis] - before[axis]
          if source < 0 || source >= size {
            switch mode {
            case .constant: return nil
            case .reflect:
              let period = max(2 * (size - 1), 1)
              let place = (source % period + period) % period
              source = place < size ? place : period - place
            case .replicate: source = min(max(source, 0), size - 1)
            }
          }
          place += source * strides[axis]
        }
        return place
      }
      guard mode == .constant && value != 0 else { return [.tensor(try x.moved(to: shape, place))] }
      let all = try x.doubles()
      return [try call.result(try Indices(shape).map { place($0).map { all[$0] } ?? value })]
    },
  ]

  /// A tensor whose elements come from several tensors of one type.
  private static func picked(
    from tensors: [Tensor], _ shape: [Int], _ origin: ([Int]) -> (tensor: Int, index: [Int])
  ) throws -> Tensor {
    let all = try Tensor.joined(tensors)
    var begins = [0]
    for tensor in tensors { begins.append(begins[begins.count - 1] + tensor.count) }
    let strides = tensors.map { rowMajorStrides($0.shape) }
    return try all.moved(to: shape) { index in
      let (tensor, source) = origin(index)
      return begins[tensor] + dot(source, strides[tensor])
    }
  }
}
