import CoreMLSpec
import MIL

/// Layers that create values from numbers and shapes: constants, fills, ranges.
struct CreationLayers {
  let graph: NetworkGraph

  func loadConstantND(_ params: Specification.LoadConstantNDLayerParams) throws {
    let shape = try params.shape.map { try graph.int($0, "shape") }
    let value = try graph.weights.tensor(params.data, shape.isEmpty ? [1] : shape, "data")
    try graph.set(0, graph.builder.constant(.tensor(value), named: graph.layer.name))
  }

  func fillLike(_ params: Specification.FillLikeLayerParams) throws {
    try fill(sizesOfInput(), params.value)
  }

  func fillStatic(_ params: Specification.FillStaticLayerParams) throws {
    try fill(targetShape(params.targetShape, "targetShape"), params.value)
  }

  func fillDynamic(_ params: Specification.FillDynamicLayerParams) throws {
    try fill(graph.shapeInput(0), params.value)
  }

  private func fill(_ shape: String, _ value: Float) throws {
    try graph.set(0, graph.emit("fill", ["shape": .name(shape), "value": .float(value)]))
  }

  /// The shape of the first input, as a vector.
  func sizesOfInput() throws -> String {
    let x = try graph.input(0)
    return try graph.sizes(of: x, 0..<graph.rank(x))
  }

  func targetShape(_ sizes: [UInt64], _ name: String) throws -> String {
    try graph.constant(sizes.isEmpty ? [1] : sizes.map { try graph.int($0, name) })
  }

  func rangeStatic(_ params: Specification.RangeStaticLayerParams) throws {
    try range(.float(params.startValue), .float(params.endValue), .float(params.stepSizeValue))
  }

  /// The first input is the end; the optional others are the start and the step.
  func rangeDynamic(_ params: Specification.RangeDynamicLayerParams) throws {
    let start: Binding =
      graph.layer.inputs.count > 1 ? .name(try graph.scalarInput(1, .float32)) : .float(try params.startValue)
    let step: Binding =
      graph.layer.inputs.count > 2 ? .name(try graph.scalarInput(2, .float32)) : .float(try params.stepSizeValue)
    try range(start, .name(graph.scalarInput(0, .float32)), step)
  }

  private func range(_ start: Binding, _ end: Binding, _ step: Binding) throws {
    try graph.set(0, graph.emit("range_1d", ["start": start, "end": end, "step": step]))
  }
}
