/// Gather and scatter (coremltools: `scatter_gather`). Indices from -size to -1 count from the end, unless they are
/// validated.
enum GatherScatterOperations {
  static let all: [OperationDefinition] = [
    .movement(
      "gather",
      [.required("x"), .required("indices"), .optional("axis"), .optional("batch_dims"), .optional("validate_indices")]
    ) { call in
      let x = try call.tensor("x")
      let indices = try integers("indices", call)
      let axis = try call.axis("axis", default: 0, rank: x.rank)
      let batch = try call.batchDims(limit: min(axis, indices.rank))
      try requireSame(x.shape[..<batch], indices.shape[..<batch], call)
      return [.tensor(TensorType(x.scalar, replacing(axis..<(axis + 1), of: x.shape, by: indices.shape[batch...])))]
    },
    .movement(
      "gather_along_axis", [.required("x"), .required("indices"), .optional("axis"), .optional("validate_indices")]
    ) { call in
      let x = try call.tensor("x")
      let indices = try integers("indices", call)
      let axis = try call.axis("axis", default: 0, rank: x.rank)
      guard indices.rank == x.rank else {
        throw call.error(.invalidShape, "'indices' is \(indices), its rank must be that of 'x', \(x)")
      }
      for other in x.shape.indices where other != axis && !x.shape[other].agrees(with: indices.shape[other]) {
        throw call.error(.invalidShape, "'indices' is \(indices), which differs from \(x) in axis \(other)")
      }
      let shape = x.shape.indices.map { $0 == axis || indices.shape[$0].isKnown ? indices.shape[$0] : x.shape[$0] }
      return [.tensor(TensorType(x.scalar, shape))]
    },
    .movement(
      "gather_nd", [.required("x"), .required("indices"), .optional("batch_dims"), .optional("validate_indices")]
    ) { call in
      let x = try call.tensor("x")
      let indices = try integers("indices", call)
      let batch = try call.batchDims(limit: min(x.rank, indices.rank - 1))
      let depth = try call.indexDepth(indices, limit: x.rank - batch)
      try requireSame(x.shape[..<batch], indices.shape[..<batch], call)
      return [.tensor(TensorType(x.scalar, replacing(0..<(batch + depth), of: x.shape, by: indices.shape.dropLast())))]
    },
    .movement("scatter", scatterParameters(axis: true)) { call in
      let data = try call.tensor("data")
      let indices = try integers("indices", call)
      let axis = try call.axis("axis", default: 0, rank: data.rank)
      return try scattered(data, replacing(axis..<(axis + 1), of: data.shape, by: indices.shape[...]), call)
    },
    .movement("scatter_along_axis", scatterParameters(axis: true)) { call in
      let data = try call.tensor("data")
      let indices = try integers("indices", call)
      let axis = try call.axis("axis", default: 0, rank: data.rank)
      guard indices.rank == data.rank else {
        throw call.error(.invalidShape, "'indices' is \(indices), its rank must be that of 'data', \(data)")
      }
      for other in data.shape.indices where other != axis && !data.shape[other].agrees(with: indices.shape[other]) {
        throw call.error(.invalidShape, "'indices' is \(indices), which differs from \(data) in axis \(other)")
      }
      return try scattered(data, indices.shape, call)
    },
    .movement("scatter_nd", scatterParameters(axis: false)) { call in
      let data = try call.tensor("data")
      let indices = try integers("indices", call)
      let depth = try call.indexDepth(indices, limit: data.rank)
      return try scattered(data, replacing(0..<depth, of: data.shape, by: indices.shape.dropLast()), call)
    },
  ]

  private static func scatterParameters(axis: Bool) -> [Parameter] {
    [.required("data"), .required("indices"), .required("updates")] + (axis ? [.optional("axis")] : [])
      + [.optional("mode"), .optional("validate_indices")]
  }

  private static func replacing(
    _ axes: Range<Int>, of shape: [Dimension], by others: ArraySlice<Dimension>
  ) -> [Dimension] {
    var result = shape
    result.replaceSubrange(axes, with: others)
    return result
  }

  private static func integers(_ name: String, _ call: Invocation) throws -> TensorType {
    let type = try call.tensor(name)
    guard type.scalar.isInteger else { throw call.error(.invalidType, "'\(name)' must be integers, it is \(type)") }
    return type
  }

  private static func requireSame(
    _ x: ArraySlice<Dimension>, _ indices: ArraySlice<Dimension>, _ call: Invocation
  ) throws {
    guard zip(x, indices).allSatisfy({ $0.agrees(with: $1) }) else {
      throw call.error(
        .invalidShape, "the batch of 'x' is [\(x.list)], that of 'indices' is [\(indices.list)]"
      )
    }
  }

  private static func scattered(
    _ data: TensorType, _ shape: [Dimension], _ call: Invocation
  ) throws -> [ValueType] {
    _ = try call.scatterMode()
    let updates = try call.tensor("updates")
    let expected = TensorType(data.scalar, shape)
    guard updates.agrees(with: expected) else {
      throw call.error(.invalidShape, "'updates' is \(updates), it must be \(expected)")
    }
    return [.tensor(data)]
  }
}

/// How a scatter combines an update with the existing element.
package enum ScatterMode: String, Sendable, Hashable, CaseIterable {
  case update, add, sub, mul, div, max, min
}

extension Invocation {
  /// `add` is the default of all scatters in all opsets.
  package func scatterMode() throws -> ScatterMode {
    let word = try string("mode", default: "add")
    guard let mode = ScatterMode(rawValue: word) else { throw error(.invalidArgument, "'mode' is '\(word)'") }
    return mode
  }

  /// Whether negative indices count from the end. With `validate_indices` (iOS17), they are out of range.
  package func takesNegativeIndices() throws -> Bool { try !bool("validate_indices", default: false) }

  package func batchDims(limit: Int) throws -> Int {
    let batch = try int("batch_dims", default: 0)
    guard batch >= 0, batch <= limit else {
      throw error(.invalidArgument, "'batch_dims' is \(batch), at most \(limit) is possible")
    }
    return batch
  }

  /// The length of one index of `gather_nd` and `scatter_nd`: the last axis of `indices`.
  package func indexDepth(_ indices: TensorType, limit: Int) throws -> Int {
    guard let last = indices.shape.last else { throw error(.invalidShape, "'indices' must have an axis") }
    guard let depth = last.value else { throw error(.unknownValue, "the length of an index is not known yet") }
    guard depth <= limit else {
      throw error(.invalidShape, "an index has \(depth) numbers for \(limit) axes")
    }
    return depth
  }
}
