import MIL

/// Normalizations, decomposed into means, differences and products.
enum NormalizationGradients {
  static let forms: [GradientDefinition] = [
    .single("batch_norm") { call in
      let e = call.emit
      let epsilon = try call.invocation.double("epsilon", default: 1e-5)
      let centred = try e.sub(call.x, call.perChannel("mean"))
      let scale = try e.exactly("rsqrt", e.add(call.perChannel("variance"), epsilon))
      return try affine(call, e.mul(centred, scale))
    },
    .single("instance_norm") { call in
      let rank = try call.emit.rank(call.x)
      return try affine(call, standardised(call, axes: Array(2..<rank)))
    },
    .single("layer_norm") { call in
      let e = call.emit
      let shape = try e.shape(call.x)
      let axes = try call.invocation.axes("axes", default: Array(shape.indices), rank: shape.count).sorted()
      var result = try standardised(call, axes: axes)
      let parameters = shape.indices.map { axes.contains($0) ? shape[$0] : 1 }
      if call.has("gamma") { result = try e.mul(result, e.reshape(call.argument("gamma"), parameters)) }
      if call.has("beta") { result = try e.add(result, e.reshape(call.argument("beta"), parameters)) }
      return result
    },
    .single("l2_norm") { call in
      let e = call.emit
      let rank = try e.rank(call.x)
      let epsilon = try call.invocation.double("epsilon", default: 1e-6)
      let sum = try e.sum(e.square(call.x), Array((rank - 3)..<rank))
      return try e.mul(call.x, e.exactly("rsqrt", e.add(sum, epsilon)))
    },
    // x / (k + alpha / size times the sum of squares over the neighboring channels)^beta
    .single("local_response_norm") { call in
      let e = call.emit
      let shape = try e.shape(call.x)
      let size = try call.invocation.int("size")
      guard size <= 64 else { throw call.invocation.error(.unsupported, "has a gradient for 'size' up to 64") }
      let (alpha, beta, k) = (
        try call.invocation.double("alpha", default: 1e-4), try call.invocation.double("beta", default: 0.75),
        try call.invocation.double("k", default: 1)
      )
      func ends(_ amount: Int) -> [Int] { shape.indices.map { $0 == 1 ? amount : 0 } }
      let padded = try e.pad(e.square(call.x), before: ends(size / 2), after: ends((size - 1) / 2))
      var sum = try e.slice(padded, axis: 1, from: 0, count: shape[1])
      for offset in 1..<max(size, 1) {
        sum = try e.add(sum, e.slice(padded, axis: 1, from: offset, count: shape[1]))
      }
      return try e.mul(call.x, e.pow(e.add(e.mul(sum, alpha / Double(size)), k), -beta))
    },
  ]

  private static func standardised(_ call: FormCall, axes: [Int]) throws -> Binding {
    let e = call.emit
    let epsilon = try call.invocation.double("epsilon", default: 1e-5)
    let centred = try e.sub(call.x, e.mean(call.x, axes))
    let variance = try e.mean(e.square(centred), axes)
    return try e.mul(centred, e.exactly("rsqrt", e.add(variance, epsilon)))
  }

  private static func affine(_ call: FormCall, _ value: Binding) throws -> Binding {
    var result = value
    if call.has("gamma") { result = try call.emit.mul(result, call.perChannel("gamma")) }
    if call.has("beta") { result = try call.emit.add(result, call.perChannel("beta")) }
    return result
  }
}
