import CoreMLSpec
import MIL

/// Layers that gather and scatter elements by indices. Indices are fp32 numbers; negative ones count from the end.
struct GatherLayers {
  let graph: NetworkGraph

  func gather(_ params: Specification.GatherLayerParams) throws {
    try graph.set(
      0,
      graph.emit(
        "gather",
        ["x": .name(graph.input(0)), "indices": .name(graph.intInput(1)), "axis": .int(graph.int(params.axis, "axis"))])
    )
  }

  func gatherND() throws {
    try graph.set(
      0,
      graph.atLeastVector(graph.emit("gather_nd", ["x": .name(graph.input(0)), "indices": .name(graph.intInput(1))])))
  }

  func gatherAlongAxis(_ params: Specification.GatherAlongAxisLayerParams) throws {
    try graph.set(
      0,
      graph.emit(
        "gather_along_axis",
        ["x": .name(graph.input(0)), "indices": .name(graph.intInput(1)), "axis": .int(graph.int(params.axis, "axis"))])
    )
  }

  func scatter(_ params: Specification.ScatterLayerParams) throws {
    try scatter("scatter", params.mode, axis: graph.int(params.axis, "axis"))
  }

  func scatterND(_ params: Specification.ScatterNDLayerParams) throws {
    try scatter("scatter_nd", params.mode, axis: nil)
  }

  func scatterAlongAxis(_ params: Specification.ScatterAlongAxisLayerParams) throws {
    try scatter("scatter_along_axis", params.mode, axis: graph.int(params.axis, "axis"))
  }

  private func scatter(_ operation: String, _ mode: Specification.ScatterMode, axis: Int?) throws {
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
      "data": .name(try graph.input(0)), "indices": .name(try graph.intInput(1)), "updates": .name(try graph.input(2)),
      "mode": .string(word),
    ]
    if let axis { arguments["axis"] = .int(axis) }
    try graph.set(0, graph.emit(operation, arguments))
  }

  func oneHot(_ params: Specification.OneHotLayerParams) throws {
    let size: Binding =
      graph.layer.inputs.count > 1
      ? .name(try graph.scalarInput(1)) : .int(try graph.int(params.oneHotVectorSize, "oneHotVectorSize"))
    try graph.set(
      0,
      graph.emit(
        "one_hot",
        [
          "indices": .name(graph.intInput(0)), "one_hot_vector_size": size,
          "axis": .int(graph.int(params.axis, "axis")), "on_value": .float(params.onValue),
          "off_value": .float(params.offValue),
        ]))
  }
}
