import MIL

/// Concatenation, splitting, tiling and padding.
enum ConcatGradients {
  static let rules: [GradientRule] = [
    GradientRule("concat") { call in
      let e = call.emit
      let count = call.invocation.count("values")
      let first = try e.shape(call.argument("values"))
      let isStack = first.isEmpty
      let axis = isStack ? 0 : try call.invocation.axis("axis", rank: first.count)
      if try call.invocation.bool("interleave", default: false), !isStack {
        // The elements of the operands alternate: [.., size, operand, ..].
        let whole = try e.reshape(call.gradient, first[...axis] + [count] + first[(axis + 1)...])
        for index in 0..<count {
          try call.give("values", index) { try e.reshape(e.slice(whole, axis: axis + 1, from: index, count: 1), first) }
        }
        return
      }
      var begin = 0
      for index in 0..<count {
        let shape = try e.shape(call.argument("values", index))
        let size = isStack ? 1 : shape[axis]
        try call.give("values", index) {
          try e.reshape(e.slice(call.gradient, axis: axis, from: begin, count: size), shape)
        }
        begin += size
      }
    },
    GradientRule("stack") { call in
      let e = call.emit
      let shape = try e.shape(call.argument("values"))
      let axis = try call.invocation.axis("axis", rank: shape.count + 1)
      for index in 0..<call.invocation.count("values") {
        try call.give("values", index) {
          try e.reshape(e.slice(call.gradient, axis: axis, from: index, count: 1), shape)
        }
      }
    },
    GradientRule("split") { call in
      let e = call.emit
      let axis = try call.invocation.axis("axis", rank: e.rank(call.x))
      try call.give("x") {
        let parts = try zip(call.operation.outputs, call.gradients).map { output, gradient in
          try gradient ?? e.zeros(e.shape(.name(output.name)), like: call.x)
        }
        return try e.concat(parts, axis: axis)
      }
    },
    // The gradient has [reps, size] for each axis and is summed over the repetitions.
    GradientRule("tile") { call in
      let e = call.emit
      try call.give("x") {
        let shape = try e.shape(call.x)
        let reps = try call.invocation.repetitions()
        let whole = try e.reshape(call.gradient, zip(reps, shape).flatMap { [$0, $1] })
        return try e.reshape(e.sum(whole, shape.indices.map { 2 * $0 }), shape)
      }
    },
    GradientRule("pad") { call in
      try call.give("x") {
        guard try call.invocation.padMode() == .constant else { return try MoveGradients.moved(call) }
        let shape = try call.emit.shape(call.x)
        let before = try call.invocation.padding(of: shape.map { Dimension($0) }).before
        return try call.emit.slice(call.gradient, begin: before, size: shape)
      }
    },
  ]
}
