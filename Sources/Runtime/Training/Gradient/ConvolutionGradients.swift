import MIL

/// Convolutions. The gradient of x is the transposed convolution with the same weight, or the convolution for
/// `conv_transpose`. The gradient of the weight is a separate operation (`train.conv_weight`), because no convolution
/// kernel supports the sum over images and positions.
enum ConvolutionGradients {
  static let rules: [GradientRule] = [
    GradientRule("conv") { call in
      let e = call.emit
      let geometry = try Convolution.geometry(call.invocation)
      let window = try WindowArguments(call, geometry)
      try call.give("x") {
        var arguments = window.bindings
        arguments["x"] = try call.gradient
        arguments["weight"] = try call.argument("weight")
        arguments["output_shape"] = .ints(try e.shape(call.x))
        return try e("conv_transpose", arguments)
      }
      try call.give("weight") {
        var arguments = window.bindings
        arguments["x"] = try call.x
        arguments["weight"] = try call.argument("weight")
        arguments["gradient"] = try call.gradient
        return try e("train.conv_weight", arguments)
      }
      if call.has("bias") { try call.give("bias") { try biasGradient(call) } }
    },
    GradientRule("conv_transpose") { call in
      let e = call.emit
      let geometry = try TransposedConvolution.geometry(call.invocation)
      var window = try WindowArguments(call, geometry)
      // The convolution that reads the transposed convolution's output must have as many outputs as there were inputs.
      // So cropped elements are padded, and elements that were never written are cut off.
      let cut = window.closeEnds()
      let shape = try e.shape(call.gradient)
      let gradient = try e.slice(
        call.gradient, begin: shape.map { _ in 0 },
        size: Array(shape[..<2]) + zip(shape[2...], cut).map { $0 - $1 })
      try call.give("x") {
        var arguments = window.bindings
        arguments["x"] = gradient
        arguments["weight"] = try call.argument("weight")
        return try e("conv", arguments)
      }
      try call.give("weight") {
        var arguments = window.bindings
        arguments["x"] = gradient
        arguments["weight"] = try call.argument("weight")
        arguments["gradient"] = try call.x
        return try e("train.conv_weight", arguments)
      }
      if call.has("bias") { try call.give("bias") { try biasGradient(call) } }
    },
  ]

  private static func biasGradient(_ call: GradientCall) throws -> Binding {
    let rank = try call.emit.rank(call.gradient)
    return try call.emit.sum(call.gradient, [0] + Array(2..<rank), keep: false)
  }
}

/// The arguments of a window operation with explicit padding.
struct WindowArguments {
  private let geometry: WindowGeometry
  private var before: [Int]
  private var after: [Int]
  private let strides: [Int]
  private let dilations: [Int]

  init(_ call: GradientCall, _ geometry: WindowGeometry) throws {
    self.geometry = geometry
    let axes = (3 - geometry.spatialRank)..<3
    before = Array(geometry.padBefore[axes])
    after = Array(geometry.padAfter[axes])
    strides = Array(geometry.strides[axes])
    dilations = Array(geometry.dilations[axes])
    guard (before + after).allSatisfy({ $0 >= 0 }) else {
      throw call.invocation.error(.unsupported, "pads by \(before) and \(after): its gradient is not supported")
    }
  }

  /// Pads the end of a transposed convolution's output, so that a convolution over it has as many outputs as there were
  /// inputs. Returns the number of surplus elements on each axis.
  mutating func closeEnds() -> [Int] {
    let axes = Array((3 - geometry.spatialRank)..<3)
    return axes.enumerated().map { index, axis in
      let reach =
        (geometry.input[axis] - 1) * geometry.strides[axis] + (geometry.kernel[axis] - 1) * geometry.dilations[axis] + 1
      let missing = reach - geometry.output[axis] - before[index]
      after[index] = max(missing, 0)
      return max(-missing, 0)
    }
  }

  var bindings: [String: Binding] {
    [
      "strides": .ints(strides), "dilations": .ints(dilations), "groups": .int(geometry.groups),
      "pad_type": .string("custom"), "pad": .ints(zip(before, after).flatMap { [$0, $1] }),
    ]
  }
}
