import MIL

extension References {
  static let fused: [Reference] = [
    Reference.numeric("fused.conv") { try finish($0, convolution($0, weight: $0.doubles("weight"))) },
    Reference.numeric("fused.linear") { call in
      let isTransposed = try call.invocation.bool("transpose_weight", default: true)
      let weight = try call.sizes("weight")
      return try finish(
        call,
        product(
          call.doubles("x"), call.doubles("weight"), columns: weight[isTransposed ? 0 : 1],
          depth: weight[isTransposed ? 1 : 0], bias: call.has("bias") ? call.doubles("bias") : nil,
          isTransposed: isTransposed))
    },
  ]

  /// The residual input and the activation, on results that have their bias.
  private static func finish(_ call: ReferenceCall, _ values: [Double]) throws -> [Double] {
    let activation = try FusedActivation(call.invocation)
    guard call.has("add") else { return values.map { activation($0) } }
    return Swift.zip(values, try call.doubles("add")).map { activation($0 + $1) }
  }
}
