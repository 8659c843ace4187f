import CoreMLKernels
import MIL

/// Resizing computes weighted sums along one axis after the other, so the gradient is a product with the transposed
/// weight matrices. These are found by resizing unit vectors once, when the gradient is written.
enum ResizingGradients {
  static let rules: [GradientRule] = [
    GradientRule("upsample_bilinear", "resize_bilinear", "resize") { call in
      try call.give("x") {
        let e = call.emit
        let shape = try e.shape(call.x)
        let resized = call.operation.type == "resize" ? try call.invocation.int("resized_dims") : 2
        var gradient = try call.gradient
        for axis in (shape.count - resized)..<shape.count {
          let size = try e.shape(gradient)[axis]
          let matrix = try e.tensor(
            weights(call, axis: axis, shape, resized), shape: [size, shape[axis]], like: gradient)
          var perm = Array(shape.indices)
          perm.swapAt(axis, shape.count - 1)
          gradient = try e.transpose(e.matmul(e.transpose(gradient, perm), matrix), perm)
        }
        return gradient
      }
    }
  ]

  /// The weight matrix [outputs, inputs] of an axis.
  private static func weights(_ call: GradientCall, axis: Int, _ shape: [Int], _ resized: Int) throws -> [Double] {
    let output = try call.emit.shape(call.y)
    var own = shape
    for lead in 0..<(shape.count - resized) { own[lead] = 1 }
    let count = own.reduce(1, *)
    guard let work = TensorType.elementCount([count, shape[axis]]), work <= 1 << 27 else {
      throw call.invocation.error(.unsupported, "has no gradient at the size \(shape)")
    }
    let inner = own[(axis + 1)...].reduce(1, *)
    let step = output[(axis + 1)...].reduce(1, *)
    var columns: [[Double]] = []
    for place in 0..<shape[axis] {
      var operation = call.operation
      let line = (0..<count).map { $0 / inner % shape[axis] == place ? 1.0 : 0 }
      operation.inputs["x"] = [.tensor(Tensor(float64: line, shape: own))]
      let result = try References.evaluate(call.emit.invocation(operation)).first?.tensor?.doubles() ?? []
      guard result.count > (output[axis] - 1) * step else {
        throw call.invocation.error(.unsupported, "has no gradient at the size \(shape)")
      }
      columns.append((0..<output[axis]).map { result[$0 * step] })
    }
    return (0..<output[axis]).flatMap { row in columns.map { $0[row] } }
  }
}
