import CoreMLKernels
import MIL

/// Operations that copy elements: each element of the result is an element of x or zero. The mapping is found by
/// running the operation on the element indices once, when the gradient is written. Gradients then use these indices.
enum MoveGradients {
  static let rules: [GradientRule] = [
    GradientRule(
      "reverse_sequence", "depth_to_space", "pixel_shuffle", "space_to_depth", "pixel_unshuffle", "space_to_batch",
      "batch_to_space", "band_part", "sliding_windows", "crop", "upsample_nearest_neighbor", "resize_nearest_neighbor"
    ) { call in try call.give("x") { try moved(call) } }
  ]

  static func moved(_ call: GradientCall) throws -> Binding {
    let e = call.emit
    let shape = try e.shape(call.x)
    let count = shape.reduce(1, *)
    let sources = try sources(call, shape)
    let gradient = try e.reshape(call.gradient, [sources.count])
    var targets = Array(repeating: -1, count: count)
    for (index, source) in sources.enumerated() where source >= 0 { targets[source] = index }
    if sources.count == count, !targets.contains(-1) {
      // Every element occurs exactly once, so its gradient is gathered.
      let indices = Tensor(int32: targets, shape: [count])
      return try e.reshape(e("gather", ["x": gradient, "indices": .tensor(indices), "axis": .int(0)]), shape)
    }
    // Results that are not elements of x are scattered to an additional last position, which is cut off.
    let indices = Tensor(int32: sources.map { $0 < 0 ? count : $0 }, shape: [sources.count])
    let sum = try e(
      "scatter",
      [
        "data": e.zeros([count + 1], like: call.x), "indices": .tensor(indices), "updates": gradient, "axis": .int(0),
        "mode": .string("add"),
      ])
    return try e.reshape(e.slice(sum, axis: 0, from: 0, count: count), shape)
  }

  /// The index of the element of x for each result; -1 for a result that is not an element.
  private static func sources(_ call: GradientCall, _ shape: [Int]) throws -> [Int] {
    let count = shape.reduce(1, *)
    guard count < Int(Int32.max) else { throw call.invocation.error(.unsupported, "is too large for its gradient") }
    var operation = call.operation
    operation.inputs["x"] = [.tensor(Tensor(float64: (0..<count).map { Double($0 + 1) }, shape: shape))]
    if operation.inputs["constant_val"] != nil {
      operation.inputs["constant_val"] = [.tensor(Tensor(float64: [0], shape: []))]
    }
    for (parameter, bindings) in operation.inputs where bindings.contains(where: { $0.name != nil }) {
      guard let value = call.invocation.valueIfKnown(parameter) else {
        throw call.invocation.error(.unsupported, "has a gradient only where '\(parameter)' is a constant")
      }
      operation.inputs[parameter] = [.literal(value)]
    }
    let moved = try References.evaluate(call.emit.invocation(operation)).first?.tensor?.doubles() ?? []
    return moved.map { Int($0) - 1 }
  }
}
