import CoreMLSpec
import MIL

/// Layers that gather and scatter elements by indices. Indices are fp32 numbers; negative ones count from the end.
extension NetworkImport {
  mutating func gather(_ params: Specification.GatherLayerParams) throws {
    try set(
      0, emit("gather", ["x": .name(input(0)), "indices": .name(intInput(1)), "axis": .int(int(params.axis, "axis"))]))
  }

  mutating func gatherND() throws {
    try set(0, atLeastVector(emit("gather_nd", ["x": .name(input(0)), "indices": .name(intInput(1))])))
  }

  mutating func gatherAlongAxis(_ params: Specification.GatherAlongAxisLayerParams) throws {
    try set(
      0,
      emit(
        "gather_along_axis",
        ["x": .name(input(0)), "indices": .name(intInput(1)), "axis": .int(int(params.axis, "axis"))]))
  }

  mutating func scatter(_ params: Specification.ScatterLayerParams) throws {
    try scatter("scatter", params.mode, axis: int(params.axis, "axis"))
  }

  mutating func scatterND(_ params: Specification.ScatterNDLayerParams) throws {
    try scatter("scatter_nd", params.mode, axis: nil)
  }

  mutating func scatterAlongAxis(_ params: Specification.ScatterAlongAxisLayerParams) throws {
    try scatter("scatter_along_axis", params.mode, axis: int(params.axis, "axis"))
  }

  private mutating func scatter(_ operation: String, _ mode: Specification.ScatterMode, axis: Int?) throws {
    let word =
      switch mode {
      case .scatterUpdate: "update"
      case .scatterAdd: "add"
      case .scatterSub: "sub"
      case .scatterMul: "mul"
      case .scatterDiv: "div"
      case .scatterMax: "max"
      case .scatterMin: "min"
      }
    var arguments: [String: Binding] = [
      "data": .name(try input(0)), "indices": .name(try intInput(1)), "updates": .name(try input(2)),
      "mode": .string(word),
    ]
    if let axis { arguments["axis"] = .int(axis) }
    try set(0, emit(operation, arguments))
  }

  mutating func oneHot(_ params: Specification.OneHotLayerParams) throws {
    let size: Binding =
      layer.inputs.count > 1
      ? .name(try scalarInput(1)) : .int(try int(params.oneHotVectorSize, "oneHotVectorSize"))
    try set(
      0,
      emit(
        "one_hot",
        [
          "indices": .name(intInput(0)), "one_hot_vector_size": size,
          "axis": .int(int(params.axis, "axis")), "on_value": .float(params.onValue),
          "off_value": .float(params.offValue),
        ]))
  }
}
