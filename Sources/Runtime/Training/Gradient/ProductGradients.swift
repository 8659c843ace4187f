import MIL

/// Matrix products.
enum ProductGradients {
  static let rules: [GradientRule] = [
    GradientRule("linear") { call in
      let e = call.emit
      let weight = try call.argument("weight")
      let (shape, size) = (try e.shape(call.x), try e.shape(weight))
      let rows = shape.dropLast().reduce(1, *)
      // All leading axes are merged into rows.
      let gradient = try e.reshape(call.gradient, [rows, size[0]])
      try call.give("x") { try e.reshape(e.matmul(gradient, weight), shape) }
      try call.give("weight") {
        try e.matmul(gradient, e.reshape(call.x, [rows, size[1]]), transposeX: true)
      }
      if call.has("bias") { try call.give("bias") { try e.sum(gradient, [0], keep: false) } }
    },
    GradientRule("matmul") { call in
      let e = call.emit
      let product = try MatrixProduct.Matmul(call.invocation)
      let (xShape, yShape) = (try e.shape(call.x), try e.shape(call.argument("y")))
      // A vector is a row on the left and a column on the right.
      let x = try e.reshape(call.x, xShape.count == 1 ? [1] + xShape : xShape)
      let y = try e.reshape(call.argument("y"), yShape.count == 1 ? yShape + [1] : yShape)
      func size(_ dimension: Dimension) throws -> Int {
        guard let value = dimension.value else { throw call.invocation.error(.unknownValue, "its shape is not known") }
        return value
      }
      let batch = try product.batch.map(size)
      let gradient = try e.reshape(call.gradient, batch + [size(product.rows), size(product.columns)])
      let (tx, ty) = (product.transposeX, product.transposeY)
      try call.give("x") {
        let own =
          tx
          ? try e.matmul(y, gradient, transposeX: ty, transposeY: true)
          : try e.matmul(gradient, y, transposeY: !ty)
        return try e.reshape(e.reduced(own, to: e.shape(x)), xShape)
      }
      try call.give("y") {
        let own =
          ty
          ? try e.matmul(gradient, x, transposeX: true, transposeY: tx)
          : try e.matmul(x, gradient, transposeX: !tx)
        return try e.reshape(e.reduced(own, to: e.shape(y)), yShape)
      }
    },
  ]

  /// dx = y (dy - sum of dy y along the axis)
  static let softmaxes: [GradientRule] = [
    GradientRule("softmax") { call in
      let e = call.emit
      let axis = try call.invocation.axis("axis", default: -1, rank: e.rank(call.x))
      try call.give("x") {
        let product = try e.mul(call.gradient, call.y)
        return try e.sub(product, e.mul(call.y, e.sum(product, [axis])))
      }
    }
  ]
}
