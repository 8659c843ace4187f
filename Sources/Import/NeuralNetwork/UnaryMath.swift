import CoreMLSpec
import MIL

/// Elementwise layers with one input. Each keeps the form of its blob.
struct UnaryMathLayers {
  let graph: NetworkGraph

  func clip(_ params: Specification.ClipLayerParams) throws {
    let low = try params.minVal
    let high = try params.maxVal
    try graph.map { x in
      try graph.emit("clip", ["x": .name(x), "alpha": .float(low), "beta": .float(high)])
    }
  }

  /// 1 if the input is 0, otherwise 0.
  func logicalNot() throws {
    try graph.map { x in
      try graph.asFloat(graph.emit("equal", ["x": .name(x), "y": .float(0)]))
    }
  }
}
