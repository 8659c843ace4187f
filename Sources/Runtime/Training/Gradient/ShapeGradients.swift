import MIL

/// Reshaping, transposing and slicing.
enum ShapeGradients {
  static let rules: [GradientRule] = [
    GradientRule("reshape", "reshape_like", "expand_dims", "squeeze", "flatten2d") { call in
      try call.give("x") { try call.emit.reshape(call.gradient, call.emit.shape(call.x)) }
    },
    GradientRule("transpose") { call in
      try call.give("x") {
        let perm = try call.invocation.permutation(rank: call.emit.rank(call.x))
        return try call.emit.transpose(call.gradient, perm.indices.map { axis in perm.firstIndex(of: axis) ?? axis })
      }
    },
    GradientRule("reverse") { call in
      try call.give("x") {
        try call.emit("reverse", ["x": call.gradient].merging(call.others("axes")) { first, _ in first })
      }
    },
    GradientRule("slice_by_size") { call in
      try call.give("x") {
        let shape = try call.emit.shape(call.x)
        return try put(call.gradient, call.invocation.slicesBySize(of: shape), into: shape, call)
      }
    },
    GradientRule("slice_by_index") { call in
      try call.give("x") {
        let shape = try call.emit.shape(call.x)
        let slices = try call.invocation.slices(of: shape)
        guard slices.allSatisfy({ $0.stride == 1 }) else { return try MoveGradients.moved(call) }
        return try put(call.gradient, slices, into: shape, call)
      }
    },
    GradientRule("slice_update") { call in
      let e = call.emit
      let slice = call.others("begin", "end", "stride", "begin_mask", "end_mask", "squeeze_mask")
      try call.give("x") {
        let update = try call.argument("update")
        let hole = try e.zeros(e.shape(update), like: update)
        return try e(
          "slice_update", ["x": call.gradient, "update": hole].merging(slice) { first, _ in first })
      }
      try call.give("update") {
        try e("slice_by_index", ["x": call.gradient].merging(slice) { first, _ in first })
      }
    },
  ]

  /// Pads the gradient of a slice with zeros to the shape of the sliced value.
  private static func put(
    _ gradient: Binding, _ slices: [SliceAxis], into shape: [Int], _ call: GradientCall
  ) throws -> Binding {
    let part = try call.emit.reshape(gradient, slices.map(\.count))
    return try call.emit.pad(
      part, before: slices.map(\.begin), after: zip(shape, slices).map { $0 - $1.begin - $1.count })
  }
}

extension GradientCall {
  /// The given arguments of the operation, as far as they are present.
  func others(_ names: String...) -> [String: Binding] {
    operation.inputs.filter { names.contains($0.key) }.compactMapValues(\.first)
  }
}
