import CoreMLSpec
import MIL

/// Elementwise layers with one input. Each keeps the form of its blob.
extension NetworkImport {
  mutating func clip(_ params: Specification.ClipLayerParams) throws {
    let low = try params.minVal
    let high = try params.maxVal
    try map { network, x in
      try network.emit("clip", ["x": .name(x), "alpha": .float(low), "beta": .float(high)])
    }
  }

  /// 1 if the input is 0, otherwise 0.
  mutating func logicalNot() throws {
    try map { network, x in
      try network.asFloat(network.emit("equal", ["x": .name(x), "y": .float(0)]))
    }
  }
}
