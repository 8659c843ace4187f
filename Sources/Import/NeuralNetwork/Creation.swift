import CoreMLSpec
import MIL

/// Layers that create values from numbers and shapes: constants, fills, ranges.
extension NetworkImport {
  mutating func loadConstantND(_ params: Specification.LoadConstantNDLayerParams) throws {
    let shape = try params.shape.map { try int($0, "shape") }
    let value = try tensor(params.data, shape.isEmpty ? [1] : shape, "data")
    try set(0, builder.constant(.tensor(value), named: layer.name))
  }

  mutating func fillLike(_ params: Specification.FillLikeLayerParams) throws {
    try fill(sizesOfInput(), params.value)
  }

  mutating func fillStatic(_ params: Specification.FillStaticLayerParams) throws {
    try fill(targetShape(params.targetShape, "targetShape"), params.value)
  }

  mutating func fillDynamic(_ params: Specification.FillDynamicLayerParams) throws {
    try fill(shapeInput(0), params.value)
  }

  private mutating func fill(_ shape: String, _ value: Float) throws {
    try set(0, emit("fill", ["shape": .name(shape), "value": .float(value)]))
  }

  /// The shape of the first input, as a vector.
  mutating func sizesOfInput() throws -> String {
    let x = try input(0)
    return try sizes(of: x, 0..<rank(x))
  }

  mutating func targetShape(_ sizes: [UInt64], _ name: String) throws -> String {
    try constant(sizes.isEmpty ? [1] : sizes.map { try int($0, name) })
  }

  mutating func rangeStatic(_ params: Specification.RangeStaticLayerParams) throws {
    try range(.float(params.startValue), .float(params.endValue), .float(params.stepSizeValue))
  }

  /// The first input is the end; the optional others are the start and the step.
  mutating func rangeDynamic(_ params: Specification.RangeDynamicLayerParams) throws {
    let start: Binding =
      layer.inputs.count > 1 ? .name(try scalarInput(1, .float32)) : .float(try params.startValue)
    let step: Binding =
      layer.inputs.count > 2 ? .name(try scalarInput(2, .float32)) : .float(try params.stepSizeValue)
    try range(start, .name(scalarInput(0, .float32)), step)
  }

  private mutating func range(_ start: Binding, _ end: Binding, _ step: Binding) throws {
    try set(0, emit("range_1d", ["start": start, "end": end, "step": step]))
  }
}
