import CoreMLBase
import MIL

enum RearrangingReference {
  static let all: [Reference] = [
    .reshape("reshape", "reshape_like", "expand_dims", "squeeze", "flatten2d"),
    .movement("transpose") { call, shape in
      let perm = try call.invocation.permutation(rank: shape.count)
      return { index in
        var source = index
        for (axis, from) in perm.enumerated() { source[from] = index[axis] }
        return source
      }
    },
    .movement("reverse") { call, shape in
      let axes = try call.invocation.axes("axes", default: Array(shape.indices), rank: shape.count)
      return { index in
        var source = index
        for axis in axes { source[axis] = shape[axis] - 1 - index[axis] }
        return source
      }
    },
    .movement("reverse_sequence") { call, shape in
      let sequence = try call.invocation.axis("seq_axis", default: 0, rank: shape.count)
      let batch = try call.invocation.axis("batch_axis", default: 0, rank: shape.count)
      let lengths = try call.invocation.ints("lengths")
      guard let wrong = lengths.first(where: { $0 < 0 || $0 > shape[sequence] }) else {
        return { index in
          var source = index
          let length = lengths[index[batch]]
          if index[sequence] < length { source[sequence] = length - 1 - index[sequence] }
          return source
        }
      }
      throw KernelError(
        .invalidInput,
        "\(call.invocation.operation.label): a length is \(wrong), sequences have \(shape[sequence]) elements")
    },
    .movement("slice_by_index") { call, shape in
      let slices = try call.invocation.slices(of: shape)
      return { index in
        var rest = index.makeIterator()
        return slices.map { $0.begin + $0.stride * ($0.isSqueezed ? 0 : rest.next() ?? 0) }
      }
    },
    .movement("slice_by_size") { call, shape in
      let slices = try call.invocation.slicesBySize(of: shape)
      return { index in zip(slices, index).map { $0.begin + $1 } }
    },
    Reference("slice_update") { call in
      let x = try call.tensor("x")
      let slices = try call.invocation.slices(of: x.shape)
      let strides = rowMajorStrides(x.shape)
      // For every offset of `x` that is updated, the offset of its element in `update`.
      let update = try call.tensor("update")
      try MemoryBudget.current.admit(update.count, of: 64, for: "the places of a slice of \(update.count) elements")
      var landing: [Int: Int] = [:]
      landing.reserveCapacity(update.count)
      var point = CancellationPoint()
      for (place, index) in Indices(slices.map(\.count)).enumerated() {
        try point.pass()
        landing[dot(zip(slices, index).map { $0.begin + $0.stride * $1 }, strides)] = place
      }
      let both = try Tensor.joined([x, update])
      return [
        .tensor(
          try both.moved(to: x.shape) {
            let p = dot($0, strides); return landing[p].map { x.count + $0 } ?? p
          })
      ]
    },
    .movement("sliding_windows") { call, shape in
      let axis = try call.invocation.axis("axis", rank: shape.count)
      let stride = try call.invocation.int("stride", default: 1)
      return { index in
        var source = index
        source[axis] = index[axis] * stride + source.remove(at: axis + 1)
        return source
      }
    },
    .movement("depth_to_space") { call, shape in
      let block = try call.invocation.int("block_size")
      let channels = shape[1] / (block * block)
      return { i in
        let part = i[2] % block * block + i[3] % block
        return [i[0], part * channels + i[1], i[2] / block, i[3] / block]
      }
    },
    .movement("space_to_depth") { call, shape in
      let block = try call.invocation.int("block_size")
      return { i in
        let part = i[1] / shape[1]
        return [i[0], i[1] % shape[1], i[2] * block + part / block, i[3] * block + part % block]
      }
    },
    .movement("pixel_shuffle") { call, _ in
      let factor = try call.invocation.int("upscale_factor")
      return { i in
        [i[0], (i[1] * factor + i[2] % factor) * factor + i[3] % factor, i[2] / factor, i[3] / factor]
      }
    },
    .movement("pixel_unshuffle") { call, _ in
      let factor = try call.invocation.int("downscale_factor")
      return { i in
        [
          i[0], i[1] / (factor * factor), i[2] * factor + i[1] / factor % factor, i[3] * factor + i[1] % factor,
        ]
      }
    },
    Reference("space_to_batch") { call in
      let x = try call.tensor("x")
      let (block, paddings) = try call.invocation.blocks("paddings")
      let strides = rowMajorStrides(x.shape)
      return [
        .tensor(
          try x.moved(to: call.outputSizes()) { i in
            let part = i[0] / x.shape[0]
            let row = i[2] * block[0] + part / block[1] - paddings[0][0]
            let column = i[3] * block[1] + part % block[1] - paddings[1][0]
            guard row >= 0, row < x.shape[2], column >= 0, column < x.shape[3] else { return nil }
            return dot([i[0] % x.shape[0], i[1], row, column], strides)
          })
      ]
    },
    .movement("batch_to_space") { call, shape in
      let (block, crops) = try call.invocation.blocks("crops")
      let batch = shape[0] / (block[0] * block[1])
      return { i in
        let row = i[2] + crops[0][0]
        let column = i[3] + crops[1][0]
        let part = row % block[0] * block[1] + column % block[1]
        return [part * batch + i[0], i[1], row / block[0], column / block[1]]
      }
    },
  ]
}

extension Tensor {
  /// The elements of tensors of one type, concatenated to a vector.
  static func joined(_ tensors: [Tensor]) throws -> Tensor {
    guard let first = tensors.first else { throw MILError(.missingArgument, "there is no tensor to join") }
    var count = 0
    for tensor in tensors {
      let (sum, overflow) = count.addingReportingOverflow(tensor.count)
      guard tensor.scalar == first.scalar, !overflow else {
        throw MILError(.invalidType, "\(first.type) and \(tensor.type)")
      }
      count = sum
    }
    let scalar = first.scalar
    if scalar == .string {
      return Tensor(strings: try tensors.flatMap { try $0.strings() }, shape: [count])
    }
    if scalar.isSubByte {
      return try Tensor(scalar, shape: [count], doubles: try tensors.flatMap { try $0.doubles() })
    }
    let result = try Tensor.zeros(scalar, shape: [count])
    guard var target = result.storage.mutablePointer else { return result }
    for tensor in tensors {
      tensor.withUnsafeBytes { bytes in
        if let base = bytes.baseAddress { target.copyMemory(from: base, byteCount: bytes.count) }
        target += bytes.count
      }
    }
    return result
  }
}
