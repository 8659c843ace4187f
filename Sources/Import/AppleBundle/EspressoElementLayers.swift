import CoreMLSpec

/// `activation`, `elementwise`.
struct EspressoElementLayers {
  let output: EspressoLayerWriter

  func activation(_ fields: inout EspressoFields) throws {
    let mode = try fields.size("mode")
    /// Field numbers in `ActivationParams` by mode: without parameters, with alpha, and with alpha and beta.
    let plain = [0: 10, 1: 30, 3: 40, 10: 70, 12: 60]
    let withAlpha = [2: 15, 8: 50, 9: 20]
    let withBoth = [5: 31, 6: 5, 7: 41]
    let gelu = [19: UInt64(0), 21: 1, 22: 2]
    if let number = plain[mode] {
      try ignoreParameters(&fields)
      output.emit(130, fields) { $0.append(number) { _ in } }
    } else if let number = withAlpha[mode] {
      let alpha = try fields.float("alpha")
      try fields.require("beta", 0)
      output.emit(130, fields) { writer in writer.append(number) { $0.append(1, float: alpha) } }
    } else if let number = withBoth[mode] {
      // Apple's tools omit an alpha of 1 for linear functions and hard sigmoids.
      let alpha = try fields.float("alpha", default: mode == 5 ? nil : 1)
      let beta = try fields.float("beta", default: 0)
      output.emit(130, fields) { writer in
        writer.append(number) {
          $0.append(1, float: alpha)
          $0.append(2, float: beta)
        }
      }
    } else if let approximation = gelu[mode] {
      try ignoreParameters(&fields)
      output.emit(795, fields) { $0.append(1, uint: approximation) }
    } else if mode == 20 {
      try ignoreParameters(&fields)
      output.emit(790, fields)
    } else {
      throw fields.error("'mode' is \(mode), which is not known")
    }
  }

  /// Rejects parameters that the operation does not use, unless they have neutral values.
  private func ignoreParameters(_ fields: inout EspressoFields) throws {
    try fields.require("alpha", 0, 1)
    try fields.require("beta", 0)
  }

  /// An elementwise operation of the specification with one input or several.
  func elementwise(_ fields: inout EspressoFields) throws {
    let operation = try fields.size("operation")
    let isBroadcast = try fields.flag("nd_mode")
    let activation = try fields.flag("fused_relu") ? 10 : 0
    if fields.layer.inputs.count > 1 {
      try ignoreParameters(&fields)
      try fields.require("eps", 0)
      output.emit(try several(operation, isBroadcast, fields), fields, fused: activation) { _ in }
      return
    }
    guard fields.layer.inputs.count == 1 else { throw fields.error(.invalidModel, "has no inputs") }
    switch operation {
    case 0, 1, 2, 3:  // x + alpha, x alpha
      let alpha = try fields.float("alpha")
      try fields.require("beta", 0)
      output.emit(operation % 2 == 0 ? 230 : 231, fields, fused: activation) { $0.append(1, float: alpha) }
    case 25:  // max(x, alpha)
      let alpha = try fields.float("alpha")
      try fields.require("beta", 0)
      output.emit(220, fields, fused: activation) { writer in
        writer.append(1, uint: 7)
        writer.append(2, float: alpha)
      }
    case 119:
      let low = try fields.float("alpha")
      let high = try fields.float("beta")
      output.emit(660, fields, fused: activation) { writer in
        writer.append(1, float: low)
        writer.append(2, float: high)
      }
    default: try unary(operation, &fields, activation)
    }
  }

  /// The field number of the layer that combines several inputs. Layers of the specification's first version broadcast
  /// according to the five axes of the network.
  private func several(_ operation: Int, _ isBroadcast: Bool, _ fields: EspressoFields) throws -> Int {
    let legacy = [0: 230, 1: 231, 22: 261, 23: 260]
    if !isBroadcast, let kind = legacy[operation] { return kind }
    guard fields.layer.inputs.count == 2 else {
      throw fields.error("'operation' is \(operation) of \(fields.layer.inputs.count) inputs, which is not known")
    }
    let broadcast = [
      0: 880, 1: 900, 13: 885, 22: 870, 23: 875, 33: 905, 36: 865, 102: 890, 1021: 895, 100: 815, 103: 825, 104: 827,
      105: 830, 106: 832, 107: 820,
    ]
    guard let kind = broadcast[operation] else {
      throw fields.error("'operation' is \(operation) of two inputs, which is not known")
    }
    return kind
  }

  private func unary(_ operation: Int, _ fields: inout EspressoFields, _ activation: Int) throws {
    try ignoreParameters(&fields)
    let own = [
      35: 700, 37: 685, 38: 680, 114: 715, 115: 710, 117: 670, 118: 665, 121: 720, 122: 755, 123: 750, 124: 760,
      125: 735, 126: 730, 127: 740, 128: 775, 129: 770, 130: 780,
    ]
    if let kind = own[operation] {
      output.emit(kind, fields, fused: activation) { _ in }
      return
    }
    let functions = [10: UInt64(2), 11: 0, 12: 1, 24: 6, 26: 5, 27: 4]
    guard let function = functions[operation] else {
      throw fields.error("'operation' is \(operation) of one input, which is not known")
    }
    var epsilon: Float = 0
    if [10, 12].contains(operation) {
      // Added to x before the inverse. For the reciprocal, Apple's tools omit the specification's default.
      epsilon = try fields.float("eps", default: operation == 10 ? 1e-6 : nil)
      guard epsilon > 0 else { throw fields.error("'eps' is \(epsilon), expected more than 0") }
    } else {
      try fields.require("eps", 0)
    }
    output.emit(220, fields, fused: activation) { writer in
      writer.append(1, uint: function)
      writer.append(3, float: epsilon)
    }
  }
}
