/// Reordering of elements (coremltools: `tensor_transformation`).
enum PermutingOperations {
  static let all: [OperationDefinition] = [
    .movement("transpose", [.required("x"), .required("perm")]) { call in
      let x = try call.tensor("x")
      let perm = try call.permutation(rank: x.rank)
      return [.tensor(TensorType(x.scalar, perm.map { x.shape[$0] }))]
    },
    .movement("reverse", [.required("x"), .optional("axes")]) { call in
      let x = try call.tensor("x")
      try call.requireDistinct(try call.axes("axes", default: [], rank: x.rank), "axes")
      return [.tensor(x)]
    },
    .movement(
      "reverse_sequence",
      [.required("x"), .required("lengths"), .optional("seq_axis"), .optional("batch_axis")]
    ) { call in
      let x = try call.tensor("x")
      _ = try call.axis("seq_axis", default: 0, rank: x.rank)
      let batch = try call.axis("batch_axis", default: 0, rank: x.rank)
      guard try call.length("lengths").agrees(with: x.shape[batch]) else {
        throw call.error(
          .invalidShape, "'lengths' is \(try call.tensor("lengths")) for \(x.shape[batch]) sequences")
      }
      return [.tensor(x)]
    },
    .movement("depth_to_space", [.required("x"), .required("block_size")]) { call in
      [.tensor(try outOfDepth(call, factor: call.int("block_size", atLeast: 1)))]
    },
    .movement("pixel_shuffle", [.required("x"), .required("upscale_factor")]) { call in
      [.tensor(try outOfDepth(call, factor: call.int("upscale_factor", atLeast: 1)))]
    },
    .movement("space_to_depth", [.required("x"), .required("block_size")]) { call in
      [.tensor(try intoDepth(call, factor: call.int("block_size", atLeast: 1)))]
    },
    .movement("pixel_unshuffle", [.required("x"), .required("downscale_factor")]) { call in
      [.tensor(try intoDepth(call, factor: call.int("downscale_factor", atLeast: 1)))]
    },
    .movement("space_to_batch", [.required("x"), .required("block_shape"), .required("paddings")]) { call in
      let x = try call.tensor("x", rank: 4)
      let (block, paddings) = try call.blocks("paddings")
      let spatial = try (0..<2).map { axis in
        try call.exact(
          x.shape[axis + 2] + paddings[axis][0] + paddings[axis][1], dividedBy: Dimension(block[axis]),
          "the padded size")
      }
      return [.tensor(TensorType(x.scalar, [x.shape[0] * block[0] * block[1], x.shape[1]] + spatial))]
    },
    .movement("batch_to_space", [.required("x"), .required("block_shape"), .required("crops")]) { call in
      let x = try call.tensor("x", rank: 4)
      let (block, crops) = try call.blocks("crops")
      let batch = try call.exact(
        x.shape[0], dividedBy: Dimension(block[0]) * block[1], "the batch of")
      let spatial = (0..<2).map { x.shape[$0 + 2] * block[$0] - crops[$0][0] - crops[$0][1] }
      return [.tensor(TensorType(x.scalar, [batch, x.shape[1]] + spatial))]
    },
  ]

  private static func outOfDepth(_ call: Invocation, factor: Int) throws -> TensorType {
    let x = try call.tensor("x", rank: 4)
    let channels = try call.exact(
      x.shape[1], dividedBy: Dimension(factor) * factor, "the number of channels")
    return TensorType(x.scalar, [x.shape[0], channels, x.shape[2] * factor, x.shape[3] * factor])
  }

  private static func intoDepth(_ call: Invocation, factor: Int) throws -> TensorType {
    let x = try call.tensor("x", rank: 4)
    let height = try call.exact(x.shape[2], dividedBy: Dimension(factor), "the height")
    let width = try call.exact(x.shape[3], dividedBy: Dimension(factor), "the width")
    return TensorType(x.scalar, [x.shape[0], x.shape[1] * factor * factor, height, width])
  }
}

extension Invocation {
  /// The axes of `x` in the order of the result, from `perm`.
  package func permutation(rank: Int) throws -> [Int] {
    let perm = try axes("perm", rank: rank)
    guard perm.count == rank else {
      throw error(.invalidArgument, "'perm' has \(perm.count) axes for a tensor of rank \(rank)")
    }
    try requireDistinct(perm, "perm")
    return perm
  }

  /// `block_shape`, and its paddings or crops as [[before, after]] for height and width. Amounts must not be negative.
  package func blocks(_ name: String) throws -> (block: [Int], amounts: [[Int]]) {
    let block = try ints("block_shape")
    let amounts = try ints(name)
    guard block.count == 2, amounts.count == 4, block.allSatisfy({ $0 >= 1 }), amounts.allSatisfy({ $0 >= 0 }) else {
      throw error(
        .invalidArgument, "'block_shape' \(block) must be two positive sizes and '\(name)' \(amounts) two pairs")
    }
    return (block, [[amounts[0], amounts[1]], [amounts[2], amounts[3]]])
  }
}
