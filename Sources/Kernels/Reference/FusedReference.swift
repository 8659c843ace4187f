import MIL

enum FusedReference {
  static let all: [Reference] = [
    Reference.numeric("fused.conv") {
      try finish($0, ConvolutionReference.convolution($0, weight: $0.doubles("weight")))
    },
    Reference.numeric("fused.linear") { call in
      let isTransposed = try call.invocation.bool("transpose_weight", default: true)
      let weight = try call.sizes("weight")
      return try finish(
        call,
        LinearReference.product(
          call.doubles("x"), call.doubles("weight"), columns: weight[isTransposed ? 0 : 1],
          depth: weight[isTransposed ? 1 : 0], bias: call.has("bias") ? call.doubles("bias") : nil,
          isTransposed: isTransposed))
    },
    Reference.numeric("constexpr_rows") { call in
      try ["first", "second", "third"].filter(call.has).flatMap { try call.doubles($0) }
    },
    Reference.numeric("constexpr_part") { call in
      let row = try call.sizes("data").dropFirst().reduce(1, *)
      let (begin, count) = (try call.invocation.int("begin"), try call.invocation.int("count"))
      return Array(try call.doubles("data")[begin * row..<(begin + count) * row])
    },
    Reference.numeric("fused.rms_norm") { call in
      let x = try call.doubles("x")
      let columns = try call.sizes("x").last ?? 1
      let epsilon = try call.invocation.double("epsilon", default: 0)
      let gamma = call.has("gamma") ? try call.doubles("gamma") : nil
      return stride(from: 0, to: x.count, by: max(columns, 1)).flatMap { begin -> [Double] in
        let row = x[begin..<begin + columns]
        let scale = 1 / (row.map { $0 * $0 }.reduce(0, +) / Double(columns) + epsilon).squareRoot()
        return row.enumerated().map { $0.element * scale * (gamma?[$0.offset] ?? 1) }
      }
    },
    Reference.numeric("fused.affine") { call in
      let (center, scale, shift) = (try call.doubles("center"), try call.doubles("scale"), try call.doubles("shift"))
      let activation = try FusedActivation(call.invocation)
      return try NormalizationReference.channels(call) { line, channel in
        line.map { activation(($0 - center[channel]) * scale[channel] + shift[channel]) }
      }
    },
    Reference.numeric("fused.activation") { call in
      try call.doubles("x").mapped(FusedActivation(call.invocation).callAsFunction)
    },
  ]

  /// Applies the residual input and the activation to results that have their bias.
  private static func finish(_ call: ReferenceCall, _ values: [Double]) throws -> [Double] {
    let activation = try FusedActivation(call.invocation)
    guard call.has("add") else { return values.map { activation($0) } }
    return zip(values, try call.doubles("add")).map { activation($0 + $1) }
  }
}
